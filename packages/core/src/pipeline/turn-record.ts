import type { ApprovalRequest } from "../contract/approval.ts";
import type { JournalEvent, RefusingStage } from "../contract/event.ts";
import type { Journal } from "../contract/journal.ts";
import { type JsonSource, JsonText } from "../contract/json-text.ts";
import type { QuestionRequest } from "../contract/question.ts";
import type { ToolResult } from "../contract/result.ts";

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
  /** Whether it is known from its beginning. */
  readonly isComplete: boolean;
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

const NO_ARGUMENTS = new JsonText("null");

/** Builds the record event by event. */
export class TurnReading implements TurnRecord {
  readonly done = new Map<string, DoneCall>();
  readonly answers = new Map<string, unknown>();
  readonly answerKeys = new Map<string, string>();
  readonly steps = new Map<string, JsonText>();
  readonly asked = new Map<string, ApprovalRequest | QuestionRequest>();
  readonly begun = new Set<string>();
  isComplete = false;
  readonly #started = new Map<string, JsonText>();

  add(event: JournalEvent): void {
    switch (event.type) {
      case "turn-start":
        this.isComplete = true;
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
        // Asked anew: what was said to an earlier question does not count.
        this.answers.delete(event.id);
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
