import { ToolFailure } from "../../../contract/call/result.ts";
import type { Recovered, RecoveryContext } from "../../../contract/tool/tool.ts";
import { reportCrash } from "../../turn/report-crash.ts";
import { type Attempted, RunningCall } from "../../turn/running-call.ts";
import type { QueuedCall } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";
import { CallContext, type RunNested } from "./call-context.ts";

/** Asks a tool what became of a call of it that was cut off, and keeps the value of what happened. */
export class Recovery {
  readonly #call: QueuedCall;
  readonly #turn: Turn;
  readonly #nested: RunNested;
  /** Set once it is known that the call happened. */
  found: Extract<Attempted, { kind: "returned" }> | undefined;

  constructor(call: QueuedCall, turn: Turn, nested: RunNested) {
    this.#call = call;
    this.#turn = turn;
    this.#nested = nested;
  }

  /** Whether the call happened. A tool that fails, takes too long or gives no proper answer does not know. */
  async findOut(): Promise<boolean | undefined> {
    const ended = await this.#asked();
    if (ended.kind === "threw" && !ToolFailure.isInstance(ended.error)) this.#report(ended.error);
    if (ended.kind !== "returned" || ended.value === undefined) return undefined;
    const answer = ended.value;
    if (isRecovered(answer)) {
      if (answer.happened) this.found = { kind: "returned", value: answer.value };
      return answer.happened;
    }
    this.#report(new TypeError(`\`recover\` must return ${FORMS}.`));
    return undefined;
  }

  /** Its time is limited like that of a call. */
  async #asked(): Promise<Attempted> {
    const { running: runningCalls } = this.#turn.runtime;
    const running = new RunningCall(this.#call, this.#turn);
    runningCalls.add(running);
    try {
      return await running.race(this.#ask(running));
    } finally {
      runningCalls.delete(running);
      running.finish();
    }
  }

  async #ask(running: RunningCall): Promise<unknown> {
    const { found, args } = this.#call;
    const step = { key: this.#call.id, signal: this.#turn.cancellation.signal, begin: async () => {} };
    return found.tool.recover?.(args, looking(new CallContext(running, this.#nested, step)));
  }

  #report(error: unknown): void {
    reportCrash({ id: this.#call.id, toolName: this.#call.found.name }, error, this.#turn);
  }
}

const FORMS = "`{ happened: true, value }`, `{ happened: false }` or `undefined`";

function isRecovered(answer: unknown): answer is Recovered {
  if (typeof answer !== "object" || answer === null || !("happened" in answer)) return false;
  return typeof answer.happened === "boolean";
}

/** A call that is looked into asks no user, calls no other tool and starts nothing. */
function looking(context: CallContext): RecoveryContext {
  const { toolCallId, toolName, sessionId, effects, abortSignal, config, results, idempotencyKey } = context;
  return {
    ...{ toolCallId, toolName, sessionId, effects, abortSignal, config, results, idempotencyKey },
    // Made when the tool reaches for it: a session may have none.
    get io() {
      return context.io;
    },
  };
}
