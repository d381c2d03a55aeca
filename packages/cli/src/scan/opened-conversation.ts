import type { Registry, Session, ToolResult } from "@toolkeep/core";
import { sessionTaint } from "@toolkeep/core/internal";
import type { EvaluatedCall } from "../hooks/decide/verdict/refused-calls.ts";

/** Receives why a call asks. */
export interface AskedQuestion {
  reason: string | undefined;
}

interface OpenedParts {
  readonly session: Session;
  readonly registry: Registry;
  readonly question: AskedQuestion;
}

/**
 * The session that decides about the calls of a conversation. A call whose decision is known, and which changes nothing
 * in the session, may be left out; the session still counts repetitions correctly.
 */
export class OpenedConversation {
  readonly session: Session;
  readonly registry: Registry;
  readonly #question: AskedQuestion;
  /** The last call that the session got, as text. */
  #seen: string | undefined;
  /** The last call, if the session did not get it. */
  #leftOut: EvaluatedCall | undefined;

  constructor({ session, registry, question }: OpenedParts) {
    this.session = session;
    this.registry = registry;
    this.#question = question;
  }

  /** What decisions depend on, besides the call and how often it was repeated. */
  get state(): string {
    const { taint, taintedBy, changedScripts } = sessionTaint(this.session);
    const marks = [...taint].toSorted().map((label) => [label, withoutSteps(taintedBy.get(label) ?? "")]);
    return JSON.stringify([marks, [...changedScripts].toSorted()]);
  }

  /** Why the last call asked, if it did. */
  get question(): string | undefined {
    return this.#question.reason;
  }

  /** Whether the call before was the same. */
  isRepeated(call: EvaluatedCall): boolean {
    return textOf(call) === (this.#leftOut === undefined ? this.#seen : textOf(this.#leftOut));
  }

  leaveOut(call: EvaluatedCall): void {
    this.#leftOut = call;
  }

  /** Before calls are decided: the session must not take one for a repetition of a call before those left out. */
  async catchUp(calls: readonly EvaluatedCall[]): Promise<void> {
    this.#question.reason = undefined;
    const leftOut = this.#leftOut;
    if (leftOut === undefined) return;
    const texts = calls.map(textOf);
    if (texts.includes(textOf(leftOut)) || (this.#seen !== undefined && texts.includes(this.#seen)))
      await this.call(leftOut, "left-out");
    this.#question.reason = undefined;
  }

  call(call: EvaluatedCall, id: string): Promise<ToolResult> {
    this.#seen = textOf(call);
    this.#leftOut = undefined;
    this.#question.reason = undefined;
    return this.session.call({ id, name: call.tool, arguments: call.arguments });
  }
}

/** Calls that are left out have no number, and one reason stands for calls of many conversations. */
export function withoutSteps(reason: string): string {
  return reason.replaceAll(/\bstep \d+ (?=[a-z]+s )/g, "an earlier call ");
}

function textOf(call: EvaluatedCall): string {
  return JSON.stringify([call.tool, call.arguments]);
}
