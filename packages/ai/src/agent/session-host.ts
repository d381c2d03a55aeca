import type { Principal, Session, ToolCall, TurnOptions, TurnOutcome } from "@toolkeep/core";
import type { SessionRecord } from "@toolkeep/core/internal";
import { JsonText } from "@toolkeep/core/journal";
import type { LoopHost } from "./loop/loop-host.ts";
import type { Compacted } from "./options/compact.ts";
import type { ModelReply } from "./options/model-reply.ts";
import type { KeptValues } from "./record/kept-values.ts";
import { type RecordedReply, type RecordedStep, turnOfStep } from "./record/recorded-runs.ts";
import type { ReceivedMessage } from "./record/steering.ts";
import { turnPark, type WaitingChildren } from "./turn-park.ts";

/** What the host of a run is made of. */
export interface SessionHostParts {
  readonly session: Session;
  readonly record: SessionRecord;
  /** The id of the run. */
  readonly run: string;
  /** On whose behalf it began, if that is another one than the session's. */
  readonly principal?: Principal;
  readonly kept: KeptValues;
  readonly signal: AbortSignal;
  readonly budget: NonNullable<TurnOptions["budget"]>;
  /** The steps that an earlier life of the run did not finish. */
  readonly unfinished: readonly RecordedStep[];
  /** Whether an earlier life of the run may have kept something. */
  readonly isResumed: boolean;
  /** How many messages of the user the run has already. */
  readonly messages: number;
  /** What its subagents wait for, if it can have some. */
  readonly children: WaitingChildren | undefined;
  /** Whether the agent is about to leave this process. */
  readonly isLeaving: () => boolean;
}

/** Runs the loop in this process, over the store of a session. */
export class SessionHost implements LoopHost {
  readonly #parts: SessionHostParts;
  #messages: number;
  /** Until a step was new, an earlier life may have kept the next one. */
  #mayBeKept: boolean;

  constructor(parts: SessionHostParts) {
    this.#parts = parts;
    this.#mayBeKept = parts.isResumed;
    this.#messages = parts.messages;
  }

  async reply(n: number, ask: (signal: AbortSignal) => Promise<ModelReply>): Promise<ModelReply> {
    const { kept, signal } = this.#parts;
    // Kept and perhaps not recorded: a process can be killed between the two.
    const known = this.#mayBeKept ? await kept.reply(n) : undefined;
    if (known === undefined) this.#mayBeKept = false;
    const reply = known ?? (await ask(signal));
    if (known === undefined) await kept.keepReply(n, reply);
    if (this.#recorded(n)?.reply === undefined) {
      const { text, calls, finishReason, usage, malformed, model } = reply;
      const named = calls.map(({ id, name }) => ({ id, name }));
      const other = {
        ...(malformed === undefined ? {} : { malformed }),
        ...(model === undefined ? {} : { model }),
      };
      const about: RecordedReply = { text, calls: named, finishReason, usage, ...other };
      const value = this.#redacted(about);
      this.#parts.record.write(this.#parts.run, { type: "model-reply", step: n, value });
    }
    return reply;
  }

  async receive(n: number, messages: readonly ReceivedMessage[]): Promise<readonly string[]> {
    const { kept, record, run } = this.#parts;
    const before = this.#recorded(n)?.messages ?? [];
    const known = await Promise.all(
      before.map(async ({ index, text }) => (await kept.message(index)) ?? text),
    );
    for (const message of messages) {
      await kept.keepMessage(this.#messages, message.text);
      this.#messages += 1;
      record.write(run, { type: "message-receive", step: n, ...message });
    }
    if (messages.length > 0) await record.flush();
    await record.messagesRecorded(messages.flatMap(({ left }) => left ?? []));
    return [...known, ...messages.map(({ text }) => text)];
  }

  async compact(n: number, make: () => Promise<Compacted | undefined>): Promise<Compacted | undefined> {
    const { kept, record, run } = this.#parts;
    const messages = this.#mayBeKept ? await kept.conversation(n) : undefined;
    const recorded = this.#recorded(n);
    if (messages !== undefined && recorded?.compaction !== undefined)
      return { messages, dropped: recorded.compaction?.dropped };
    // A reply that is paid for saw the conversation as it was.
    if (recorded?.reply !== undefined) return undefined;
    const made = await make();
    if (made === undefined) return undefined;
    await kept.keepConversation(n, made.messages);
    record.write(run, { type: "context-compact", step: n, value: this.#redacted(made) });
    return made;
  }

  /** The same calls under the same id continue a turn that began before. */
  async run(n: number, calls: readonly ToolCall[]): Promise<TurnOutcome> {
    const { session, record, signal, budget, children, principal } = this.#parts;
    const id = turnOfStep(n);
    // Takes in the answers that were left for the session.
    if (this.#recorded(n)?.reply !== undefined) await session.waiting();
    const outcome = await session.run(calls, {
      ...{ id, signal, budget },
      ...(principal === undefined ? {} : { principal }),
    });
    if (outcome.status === "waiting" && children?.requests().length)
      record.write(id, turnPark(id, outcome.requests, children));
    return outcome;
  }

  async nextStep(): Promise<"here" | "elsewhere"> {
    return this.#parts.isLeaving() ? "elsewhere" : "here";
  }

  #recorded(n: number): RecordedStep | undefined {
    return this.#parts.unfinished.find(({ step }) => step === n);
  }

  #redacted(value: unknown): JsonText {
    return new JsonText(this.#parts.record.redactor.redactJson(JSON.stringify(value)));
  }
}
