import { ToolFailure } from "../../contract/call/result.ts";
import type { RegisteredTool, StateSlot } from "../../contract/tool/tool.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Recorder } from "./recorder.ts";

/** What tools remember across calls, each for itself. */
export class ToolStates {
  readonly #values = new Map<string, { readonly version: number; readonly value: unknown }>();
  readonly #recorder: Recorder;
  readonly #redactor: Redactor;

  constructor(recorder: Recorder, redactor: Redactor) {
    this.#recorder = recorder;
    this.#redactor = redactor;
  }

  /** Bound to the tool and to where it came from: a tool that shadows another does not inherit its memory. */
  slotOf(registered: RegisteredTool, turn: string): StateSlot {
    const { stateSlot } = registered.tool;
    if (stateSlot === undefined) return NO_SLOT;
    const key = `${registered.name} ${registered.originName}`;
    return {
      get: () => {
        const kept = this.#values.get(key);
        return kept?.version === stateSlot.version ? kept.value : undefined;
      },
      set: (value) => {
        const text = new JsonText(this.#redactor.redactJson(JSON.stringify(value)));
        this.#values.set(key, { version: stateSlot.version, value: text.value });
        this.#recorder.write(turn, {
          type: "state-write",
          tool: key,
          version: stateSlot.version,
          value: text,
        });
      },
    };
  }

  /** Restores what an earlier process wrote. */
  restore(key: string, version: number, value: unknown): void {
    this.#values.set(key, { version, value });
  }
}

const NO_SLOT: StateSlot = Object.freeze({
  get: () => undefined,
  set: () => {
    throw new ToolFailure("tool_failed", "This tool declared no state slot.");
  },
});
