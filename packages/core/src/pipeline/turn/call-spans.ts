import type { ToolResult } from "../../contract/call/result.ts";
import type { ToolCall } from "../../contract/stages/call.ts";
import type { ParkKind } from "../../contract/store/steps.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { ToolView } from "../../registry/binding.ts";
import type { OpenSpan, Telemetry } from "../../telemetry/telemetry.ts";
import { Parked } from "./stage.ts";

/** What the spans of a turn are made with. */
export interface CallSpansOptions {
  readonly telemetry: Telemetry;
  readonly sessionId: string;
  readonly turn: string;
  readonly tools: ToolView;
  readonly redactor: Redactor;
  /** Whether an earlier process, or an earlier life of this one, began the turn. */
  readonly isResumed: boolean;
}

/** The span of one call, and the one of its tool while it runs. */
interface CallSpan {
  readonly whole: OpenSpan;
  running: OpenSpan | undefined;
  /** Waiting that has not ended. */
  readonly waiting: Set<OpenSpan>;
}

/** The spans of a turn's calls: each as a whole, what it waits for, and its tool at work. */
export class CallSpans {
  readonly #options: CallSpansOptions;
  readonly #spans = new Map<string, CallSpan>();

  constructor(options: CallSpansOptions) {
    this.#options = options;
  }

  /** The call begins; inside another one where that one made it. */
  begin({ id, name }: ToolCall, inside?: string): void {
    const { telemetry, sessionId, turn, tools, redactor, isResumed } = this.#options;
    const known = tools.get(name)?.name;
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": known ?? redactor.redact(name),
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": redactor.redact(id),
      "gen_ai.conversation.id": sessionId,
      "toolkeep.turn.id": turn,
      ...(isResumed ? { "toolkeep.is_resumed": true } : {}),
    };
    // A name that a model made up is no good name for a span: there would be many of them.
    const title = known === undefined ? "execute_tool" : `execute_tool ${known}`;
    const caller = inside === undefined ? undefined : this.#spans.get(inside)?.running;
    const whole = caller?.child(title, attributes) ?? telemetry.start({ name: title, attributes });
    this.#spans.set(id, { whole, running: undefined, waiting: new Set() });
  }

  /** Ends the span of the call when it has a result or is parked. */
  async until<Ended extends ToolResult | Parked | undefined>(
    id: string,
    ending: Promise<Ended> | Ended,
  ): Promise<Ended> {
    try {
      const ended = await ending;
      this.#end(id, ended);
      return ended;
    } catch (error) {
      this.#end(id, undefined);
      throw error;
    }
  }

  /** The call waits for a person. */
  waitForPerson<Answer>(id: string, kind: ParkKind, answer: Promise<Answer>): Promise<Answer> {
    return this.#wait(id, kind === "approval" ? "wait_for_approval" : "wait_for_answer", answer);
  }

  /** The call waits for others that touch the same. */
  waitForLocks<Granted>(id: string, granted: Promise<Granted>): Promise<Granted> {
    return this.#wait(id, "wait_for_locks", granted);
  }

  /** The tool is at work: spans that it opens are below this one. */
  async during<T>(id: string, action: () => Promise<T>): Promise<T> {
    const span = this.#spans.get(id);
    if (span === undefined) return action();
    const running = span.whole.child("run_tool");
    span.running = running;
    try {
      const ended = await running.within(action);
      running.end(failureOf(ended));
      return ended;
    } finally {
      running.end("tool_crashed");
      span.running = undefined;
    }
  }

  async #wait<T>(id: string, name: string, waitedFor: Promise<T>): Promise<T> {
    const span = this.#spans.get(id);
    const waiting = (span?.running ?? span?.whole)?.child(name);
    if (span === undefined || waiting === undefined) return waitedFor;
    span.waiting.add(waiting);
    try {
      const ended = await waitedFor;
      const verdict = verdictOf(ended);
      if (verdict !== undefined) waiting.set({ "toolkeep.verdict": verdict });
      return ended;
    } finally {
      waiting.end();
      span.waiting.delete(waiting);
    }
  }

  #end(id: string, ended: ToolResult | Parked | undefined): void {
    const span = this.#spans.get(id);
    if (span === undefined) return;
    this.#spans.delete(id);
    for (const waiting of span.waiting) waiting.end();
    if (ended instanceof Parked) span.whole.set({ "toolkeep.is_parked": true });
    span.whole.end(failureOf(ended));
  }
}

function failureOf(ended: unknown): string | undefined {
  if (typeof ended !== "object" || ended === null || !("failure" in ended)) return undefined;
  const { code } = ended.failure as { readonly code: string };
  return code;
}

/** How an approver answered. */
function verdictOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("verdict" in answer)) return undefined;
  return typeof answer.verdict === "string" ? answer.verdict : undefined;
}
