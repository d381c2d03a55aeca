import type { CallStart, JournalEntry, PassingEntry } from "../../contract/store/event.ts";
import type { Journal } from "../../contract/store/store.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import type { EventStream } from "../../journal/event-stream.ts";
import { type AppendRaw, rawAppenderOf } from "../../journal/raw-entries.ts";
import { mapStrings } from "../../redaction/map-strings.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactEffects, redactOutcome } from "./redact-effects.ts";

interface RecorderOptions {
  readonly redactor: Redactor;
  readonly now?: () => number;
  readonly firstSeq?: number;
}

/** Numbers every event, records it without secrets and shows it to listeners. */
export class Recorder {
  readonly #journal: Journal;
  readonly #appendRaw: AppendRaw | undefined;
  readonly #stream: EventStream;
  readonly #redactor: Redactor;
  readonly #redact: (entry: JournalEntry) => JournalEntry;
  readonly #now: () => number;
  #seq: number;
  #hasEnded = false;

  constructor(
    journal: Journal,
    stream: EventStream,
    { redactor, now = Date.now, firstSeq = 0 }: RecorderOptions,
  ) {
    this.#journal = journal;
    this.#appendRaw = rawAppenderOf(journal);
    this.#stream = stream;
    this.#redactor = redactor;
    this.#redact = (entry) => redactEntry(entry, redactor);
    this.#now = now;
    this.#seq = firstSeq;
  }

  /**
   * Kept in the journal. `at` where the time is known already: clocks are slow to read. After the end nothing is: a
   * tool that was left behind, or an approver who answers too late, changes nothing any more.
   */
  write(turn: string, given: JournalEntry, at = this.#now()): void {
    if (this.#hasEnded) return;
    const entry = this.#redact(given);
    const seq = this.#seq;
    this.#seq += 1;
    this.#journal.append(seq, at, turn, entry);
    if (this.#stream.isWatched) this.#stream.publish({ seq, at, turn, ...entry });
  }

  /** The start of a call, which every call has: a journal in memory replaces its secrets when it is read, if ever. */
  writeCall(turn: string, start: CallStart, at: number): void {
    if (this.#hasEnded) return;
    if (this.#appendRaw === undefined || this.#stream.isWatched) {
      this.write(turn, start, at);
      return;
    }
    const seq = this.#seq;
    this.#seq += 1;
    this.#appendRaw(seq, at, turn, start, this.#redact);
  }

  /** Writes the last event of the session. */
  end(entry: JournalEntry): void {
    this.write("", entry);
    this.stop();
  }

  /** Nothing is written from here on. */
  stop(): void {
    this.#hasEnded = true;
  }

  /** The same without a journal and without listeners: for a look at a call that leaves no trace. */
  muted(): Recorder {
    const quiet = new Recorder(this.#journal, this.#stream, { redactor: this.#redactor });
    quiet.stop();
    return quiet;
  }

  /** Shown and forgotten. Takes no number of its own: the numbers of what is kept have no gaps. */
  show(turn: string, entry: PassingEntry): void {
    if (this.#stream.isWatched && !this.#hasEnded)
      this.#stream.publish({ seq: this.#seq, at: this.#now(), turn, ...entry });
  }

  /** Whether nothing is written: the session is over, or a call is only looked at. */
  get isMuted(): boolean {
    return this.#hasEnded;
  }

  get isWatched(): boolean {
    return this.#stream.isWatched;
  }

  /** Durable from here on. Nothing to wait for: `undefined`. */
  flush(): Promise<void> | undefined {
    return this.#journal.flush();
  }
}

/**
 * An event without secrets, wherever its text came from: what an observer failed with, the name of an approver, a name
 * that a model made up. What travels as JSON and what a person is asked was redacted when it was made, except for the
 * arguments of a call that starts. The ids of calls hold no secret (`admit`).
 */
export function redactEntry(entry: JournalEntry, redactor: Redactor): JournalEntry {
  if (entry.type === "call-start") return redactStart(entry, redactor);
  if (AS_THEY_ARE.has(entry.type)) return entry;
  return mapStrings(entry, (text) => redactor.redact(text), isWritten) as JournalEntry;
}

const AS_THEY_ARE: ReadonlySet<JournalEntry["type"]> = new Set([
  ...(["call-end", "turn-end", "model-reply", "approval-request"] as const),
]);

const isWritten = (value: object) => value instanceof JsonText;

function redactStart(start: CallStart, redactor: Redactor): CallStart {
  const { arguments: args, effects, allowedBy, ruleAt, observed, shadow } = start;
  return {
    ...start,
    arguments: new JsonText(redactor.redactJson(args.text)),
    effects: redactEffects(effects, redactor),
    allowedBy: redactor.redact(allowedBy),
    ...(ruleAt === undefined ? {} : { ruleAt: redactor.redact(ruleAt) }),
    ...(observed === undefined ? {} : { observed: redactOutcome(observed, redactor) }),
    ...(shadow === undefined ? {} : { shadow: redactOutcome(shadow, redactor) }),
  };
}
