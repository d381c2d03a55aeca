import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { ApprovalRequest } from "@toolkeep/core";

export const REQUEST: ApprovalRequest = {
  id: "t1/c1",
  sessionId: "s1",
  callId: "c1",
  toolName: "bash",
  label: "Run a command",
  origin: { layer: "bundled", source: "bundled" },
  arguments: { command: "rm -rf /home/ada" },
  effects: [{ capability: "shell.run", target: "rm -rf /home/ada" }],
  approvalKey: "shell.run rm -rf /home/ada",
  reason: "It deletes files. The rule: `ask shell.run` (policy.yaml:12).",
  askedBy: ["rules"],
  agents: ["reviewer"],
  principal: { role: "agent", workspace: "main" },
  treatment: { base: "ask", show: "consent" },
  binding: { arguments: "a", definition: "d" },
  mayRemember: true,
  alwaysAllows: ["bash again for this, with any other arguments:", "  | shell.run rm -rf /home/ada"],
  context: {
    directories: ["/home/ada/shop"],
    sandbox: "none",
    taint: [{ label: "untrusted", from: "example.com" }],
  },
  suggestions: [],
  batch: { id: "b", index: 0, size: 1 },
  lines: [],
};

/** Longer than a prompt ignores keys. */
const PRESS_MS = 400;

/** The streams of a terminal, with a user who types. */
export class TypedTerminal {
  readonly input = Object.assign(new PassThrough(), { isTTY: true });
  readonly output: PassThrough & { isTTY: boolean; columns: number; rows: number };
  #written = "";

  constructor(columns = 80, rows = 40) {
    this.output = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
    this.output.on("data", (chunk: Buffer) => {
      this.#written += chunk.toString("utf8");
    });
  }

  /** What was written, without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.#written);
  }

  /** Types, in one piece. */
  async type(keys: string, afterMs = 0): Promise<void> {
    await wait(afterMs);
    this.input.write(keys);
  }

  /** Presses a key alone, again and again until a text is shown. On a busy machine a key may come too early. */
  async press(key: string, until: string): Promise<void> {
    const seen = this.text.split(until).length;
    while (this.text.split(until).length === seen) {
      await wait(PRESS_MS);
      if (this.text.split(until).length === seen) this.input.write(key);
      await wait(PRESS_MS);
    }
  }

  /** Presses a key alone, again and again until there is an answer. */
  async answer<Answer>(key: string, answer: Promise<Answer>): Promise<Answer> {
    let isOpen = true;
    const close = () => {
      isOpen = false;
    };
    answer.then(close, close);
    while (isOpen) {
      await wait(PRESS_MS);
      if (isOpen) this.input.write(key);
      await wait(PRESS_MS);
    }
    return answer;
  }
}
