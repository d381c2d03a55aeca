import { CHAIN_START, type JournalBatch, linesOf, linkBatch } from "./chain.ts";
import { decodeEvent } from "./encode-event.ts";

type Fields = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();

const OF_END = [
  ...["seq", "at", "turn", "type", "callId", "toolName", "origin", "ok"],
  ...["durationMs", "attempts", "labels", "startedAt"],
];

/** What stays of an event whose payload is erased, by its type. Other events have none. */
const WITHOUT_PAYLOAD: Readonly<Record<string, (event: Fields) => Fields>> = {
  "call-start": ({ observed: _, shadow: _shadow, ...event }) => ({ ...event, effects: [], arguments: null }),
  "call-end": (event) => ({
    ...Object.fromEntries(OF_END.map((name) => [name, event[name]])),
    ...failed(event["failure"]),
  }),
  "call-refuse": ({ effects: _, shadow: _shadow, result, ...event }) => ({
    ...event,
    arguments: null,
    result: failed((result as Fields | undefined)?.["failure"]),
  }),
  "access-refuse": (event) => ({ ...event, target: "", reason: "" }),
  "approval-request": ({ request, ...event }) => ({ ...event, request: emptied(request as Fields) }),
  "approval-answer": ({ answer, ...event }) => {
    const { message: _message, arguments: _arguments, rules: _rules, ...given } = answer as Fields;
    return { ...event, answer: given };
  },
  "question-request": ({ request, ...event }) => ({
    ...event,
    request: { ...(request as Fields), questions: [] },
  }),
  "question-answer": (event) => ({ ...event, answers: {} }),
  "state-write": (event) => ({ ...event, value: null }),
  "step-end": (event) => ({ ...event, value: null }),
  "message-receive": (event) => ({ ...event, text: "" }),
  "model-reply": (event) => ({ ...event, value: null }),
  "context-compact": (event) => ({ ...event, value: null }),
  "run-end": (event) => ({ ...event, text: "" }),
  "output-mismatch": (event) => ({ ...event, error: "" }),
  "tool-crash": (event) => ({ ...event, stack: "" }),
};

function failed(failure: unknown): Fields {
  const { code } = (failure ?? {}) as Fields;
  return code === undefined ? {} : { failure: { code, message: "" } };
}

/** Who was asked about what kind of call stays, and what the answer was bound to. */
function emptied({
  because: _,
  alwaysAllows: _allows,
  exactRules: _rules,
  context: _context,
  ...request
}: Fields) {
  return {
    ...request,
    ...{ arguments: null, effects: [], approvalKey: "", reason: "", suggestions: [], lines: [] },
  };
}

/** A batch without payloads, and the events that had some. */
export interface ErasedBatch {
  readonly batch: JournalBatch;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly events: readonly number[];
}

/** Gives the batches of a session, in order, without the payloads of one call or of all. */
export class ErasedBatches {
  readonly #digest: (bytes: Uint8Array<ArrayBuffer>) => string;
  readonly #callId: string | undefined;
  /** The requests of that call: answers name these. */
  readonly #requests = new Set<string>();

  constructor(digest: (bytes: Uint8Array<ArrayBuffer>) => string, callId?: string) {
    this.#digest = digest;
    this.#callId = callId;
  }

  /** None for a batch that stays as it is. */
  of(batch: JournalBatch): readonly ErasedBatch[] {
    const { previous, lines } = linesOf(batch);
    const events: number[] = [];
    const texts = lines.map((line, index) => {
      const erased = this.#erased(line);
      if (erased !== undefined) events.push(batch.firstSeq + index);
      return erased ?? line;
    });
    if (events.length === 0) return [];
    const bytes = encoder.encode(`${CHAIN_START}\n${texts.map((text) => `${text}\n`).join("")}`);
    linkBatch(bytes, previous);
    return [{ batch, bytes, events }];
  }

  /** The line with the hash of what it was; `undefined` for one that stays as it is. */
  #erased(line: string): string | undefined {
    const event = JSON.parse(line) as Fields;
    const type = String(event["type"]);
    const without = Object.hasOwn(WITHOUT_PAYLOAD, type) ? WITHOUT_PAYLOAD[type] : undefined;
    if (without === undefined || "erased" in event || !this.#isChosen(event)) return undefined;
    return JSON.stringify({ ...without(event), erased: this.#digest(encoder.encode(line)) });
  }

  #isChosen(event: Fields): boolean {
    if (this.#callId === undefined) return true;
    const { type, turn, id } = event;
    // A summary may hold what any call before it showed.
    if (type === "context-compact") return true;
    const callId = event["callId"] ?? (event["request"] as Fields | undefined)?.["callId"];
    const request = `${String(turn)}/${String(id)}`;
    if (callId === this.#callId && event["request"] !== undefined) this.#requests.add(request);
    if (callId === this.#callId) return true;
    return type === "step-end" ? id === this.#callId : this.#requests.has(request);
  }
}

/** What a batch contains that says that payloads were erased. */
export const ERASE_MENTION = '"type":"payload-erase"';

/**
 * Whether an earlier erasure left bytes with the hash `found` in a batch: a process that ends between the record of the
 * next erasure and the erasure itself leaves them. `mentions` are the batches with {@link ERASE_MENTION}.
 */
export function wasErasedTo(
  mentions: readonly JournalBatch[],
  { firstSeq, hash }: JournalBatch,
  found: string,
  digest: (bytes: Uint8Array<ArrayBuffer>) => string,
): boolean {
  return mentions
    .filter((one) => digest(one.bytes) === one.hash)
    .flatMap((one) => linesOf(one).lines.filter((line) => line.includes(ERASE_MENTION)))
    .map((line) => decodeEvent(line))
    .some(
      (event) =>
        event.type === "payload-erase" &&
        event.firstSeq === firstSeq &&
        event.hash === hash &&
        event.erased === found,
    );
}
