import type { ApprovalRequest, SignedApproval } from "../../contract/approval/approval.ts";
import type { ToolResult } from "../../contract/call/result.ts";
import type { Principal } from "../../contract/people/principal.ts";
import type { QuestionRequest } from "../../contract/people/question.ts";
import type { JournalEvent, RefusingStage } from "../../contract/store/event.ts";
import type { Journal } from "../../contract/store/store.ts";
import { type JsonSource, JsonText } from "../../contract/values/json-text.ts";

/** What a journal knows of a turn: what is done, what was answered, what may have happened. */
export interface TurnRecord {
  readonly done: ReadonlyMap<string, DoneCall>;
  /** Answers of people, by request. */
  readonly answers: ReadonlyMap<string, unknown>;
  /** The keys of those answers that had one, by request. */
  readonly answerKeys: ReadonlyMap<string, string>;
  /** Answers of the world, by step. */
  readonly steps: ReadonlyMap<string, JsonText>;
  /** Requests that were put to a person, as they were shown. */
  readonly asked: ReadonlyMap<string, ApprovalRequest | QuestionRequest>;
  /** When those were put, in milliseconds since the epoch. */
  readonly askedAt: ReadonlyMap<string, number>;
  /** What approvers signed for a request that needs several, by request. */
  readonly signed: ReadonlyMap<string, readonly SignedApproval[]>;
  /** Whether it is known from its beginning. */
  readonly isComplete: boolean;
  /** The number of its first event. */
  readonly startSeq?: number | undefined;
  /** On whose behalf it runs; missing where the turn's own events do not say it. */
  readonly principal?: Principal | undefined;
  /** Calls that may not run twice, began, and did not end. */
  readonly begun: ReadonlySet<string>;
}

/** A call of a turn that is settled. */
export interface DoneCall {
  readonly toolName: string;
  /** Redacted. */
  readonly arguments: JsonText;
  readonly result: ToolResult;
  /** The stage that refused it, if it never began. */
  readonly refusedAt: RefusingStage | undefined;
}

export async function readTurn(journal: Journal, turn: string): Promise<TurnRecord> {
  const reading = new TurnReading();
  for await (const event of journal.read({ turn })) reading.add(event);
  return reading;
}

/** Whether nothing is known of a turn: it has not begun. */
export function isEmpty({ isComplete, done }: TurnRecord): boolean {
  return !isComplete && done.size === 0;
}

const NO_ARGUMENTS = new JsonText("null");

/** Builds the record event by event. */
export class TurnReading implements TurnRecord {
  readonly done = new Map<string, DoneCall>();
  readonly answers = new Map<string, unknown>();
  readonly answerKeys = new Map<string, string>();
  readonly steps = new Map<string, JsonText>();
  readonly asked = new Map<string, ApprovalRequest | QuestionRequest>();
  readonly askedAt = new Map<string, number>();
  readonly signed = new Map<string, readonly SignedApproval[]>();
  readonly begun = new Set<string>();
  isComplete = false;
  startSeq: number | undefined;
  principal: Principal | undefined;
  readonly #started = new Map<string, JsonText>();

  add(event: JournalEvent): void {
    this.startSeq ??= event.seq;
    switch (event.type) {
      case "turn-start":
        this.isComplete = true;
        this.startSeq = event.seq;
        this.principal = event.principal;
        break;
      case "call-start":
        this.#started.set(event.callId, event.arguments);
        break;
      case "call-end":
        this.begun.delete(event.callId);
        this.#finish(
          event.callId,
          event.tool,
          this.#started.get(event.callId) ?? NO_ARGUMENTS,
          event.result,
          undefined,
        );
        break;
      case "call-refuse":
        // It is another call under the same id, and says nothing about the first.
        if (event.code === "duplicate_call") break;
        this.#finish(event.callId, event.tool, event.arguments, event.result, event.stage);
        break;
      case "step-intent":
        this.begun.add(event.id);
        break;
      case "step-withdraw":
        this.begun.delete(event.id);
        break;
      case "step-end":
        this.steps.set(event.id, event.value);
        break;
      case "approval-request":
      case "question-request":
        this.asked.set(event.id, event.request);
        this.askedAt.set(event.id, event.at);
        if ("principal" in event.request) this.principal ??= event.request.principal;
        // Asked anew: what was said to an earlier question does not count.
        this.answers.delete(event.id);
        this.signed.delete(event.id);
        break;
      case "approval-sign":
        this.signed.set(event.id, [...(this.signed.get(event.id) ?? []), event.signed]);
        break;
      case "approval-answer":
        this.#answer(event, event.answer);
        break;
      case "question-answer":
        this.#answer(event, event.answers);
        break;
      default:
    }
  }

  #answer({ id, key }: { readonly id: string; readonly key?: string }, answer: unknown): void {
    this.answers.set(id, answer);
    if (key !== undefined) this.answerKeys.set(id, key);
  }

  #finish(
    callId: string,
    toolName: string,
    args: JsonText,
    result: JsonSource,
    refusedAt: RefusingStage | undefined,
  ): void {
    this.done.set(callId, { toolName, arguments: args, result: result.value as ToolResult, refusedAt });
  }
}
