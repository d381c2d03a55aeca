import { type Principal, type ToolCall, ToolkeepError, type ToolResult } from "@toolkeep/core";
import { RecordedPrincipals } from "@toolkeep/core/internal";
import type { JournalEvent, JournalQuery } from "@toolkeep/core/journal";
import type { ModelMessage } from "ai";
import type { ModelReply } from "../options/model-reply.ts";

/** Names the run of an agent, which is a turn of its session. */
const runId = (number: number): string => `run-${number}`;

/** Names the turn of the calls of a step. */
export const turnOfStep = (step: number): string => `m${step}`;

/** What the journal says of a reply. Its arguments are in the events of its calls. */
export interface RecordedReply
  extends Pick<ModelReply, "text" | "finishReason" | "usage" | "malformed" | "model"> {
  readonly calls: readonly Pick<ToolCall, "id" | "name">[];
}

/** What the journal says of a conversation that was made shorter. */
interface RecordedCompaction {
  readonly messages: readonly ModelMessage[];
  readonly dropped: unknown;
}

/** The calls of a step, as far as they got. */
interface RecordedCalls {
  readonly arguments: Map<string, unknown>;
  readonly results: Map<string, ToolResult>;
  isOver: boolean;
}

/** What the journal knows of one step. An erased value is `null`. */
export interface RecordedStep {
  readonly step: number;
  /** What the user said before it; the index counts within the run. */
  readonly messages: { readonly index: number; readonly text: string }[];
  compaction?: RecordedCompaction | null;
  reply?: RecordedReply | null;
  readonly calls: RecordedCalls;
}

/** One run of an agent: from a prompt to its end. */
export interface RecordedRun {
  readonly id: string;
  readonly number: number;
  /** On whose behalf it began; missing if that is the principal that the session is open for now. */
  readonly principal?: Principal;
  readonly steps: RecordedStep[];
  messages: number;
  /** The numbers of the messages that were given while it worked, and that a step has received. */
  readonly received: Set<number>;
  /** What the store called the messages that others left for it. */
  readonly left: Set<string>;
  isFinished: boolean;
  end?: { readonly reason: string; readonly text: string };
}

const TYPES: readonly JournalEvent["type"][] = [
  ...(["session-open", "turn-start", "turn-end", "run-end"] as const),
  ...(["message-receive", "model-reply", "context-compact"] as const),
  ...(["call-start", "call-end", "call-refuse"] as const),
];

const STEP = /^m(\d+)$/;
const RUN = /^run-(\d+)$/;

type Checkpoint = NonNullable<(JournalEvent & { readonly type: "run-end" })["checkpoint"]>;

interface ReadJournal {
  read(query: JournalQuery): AsyncIterable<JournalEvent>;
}

/** Reads all runs of an agent from its journal, in one pass. */
export async function readRuns(journal: ReadJournal): Promise<readonly RecordedRun[]> {
  const known = new KnownRuns();
  await known.readOn(journal);
  return known.runs;
}

/**
 * Reads the runs of an agent whose conversation continues: at first from the checkpoint of an earlier run, if there is one,
 * and then what is new. Runs before a conversation was made shorter are not among them: the model sees nothing of them.
 */
export class RunReader {
  readonly #journal: ReadJournal;
  #known: KnownRuns | undefined;

  constructor(journal: ReadJournal) {
    this.#journal = journal;
  }

  /** Where a later run begins to read; `undefined` if it needs all runs. */
  get checkpoint(): Checkpoint | undefined {
    return this.#known?.checkpoint;
  }

  async read(): Promise<readonly RecordedRun[]> {
    this.#known ??= await this.#sinceCheckpoint();
    await this.#known.readOn(this.#journal);
    this.#known.dropUnseen();
    return this.#known.runs;
  }

  async #sinceCheckpoint(): Promise<KnownRuns> {
    let checkpoint: Checkpoint | undefined;
    for await (const event of this.#journal.read({ types: ["run-end"], standing: true }))
      if (event.type === "run-end") checkpoint = event.checkpoint ?? checkpoint;
    const known = new KnownRuns();
    if (checkpoint === undefined) return known;
    await known.readFrom(checkpoint, this.#journal);
    // What the conversation was made to may have been erased since: then all that is left of it is shown.
    return known.checkpoint === undefined ? new KnownRuns() : known;
  }
}

/** The runs that the journal tells of, event by event. */
class KnownRuns {
  readonly #runs: (RecordedRun & { readonly seq: number })[] = [];
  readonly #steps = new Map<number, RecordedStep>();
  readonly #principals = new RecordedPrincipals();
  #opened: number | undefined;
  #nextSeq = 0;

  get runs(): readonly RecordedRun[] {
    return this.#runs.map((run) => withPrincipal(run, this.#principals));
  }

  get checkpoint(): Checkpoint | undefined {
    const first = this.#runs.findLast(isShortened);
    return first === undefined || this.#opened === undefined
      ? undefined
      : { opened: this.#opened, seq: first.seq };
  }

  /** The opening of the session says for whom the next run began. */
  async readFrom({ opened, seq }: Checkpoint, journal: ReadJournal): Promise<void> {
    for await (const event of journal.read({ types: ["session-open"], fromSeq: opened })) {
      if (event.seq < opened) continue;
      if (event.seq === opened) this.#add(event);
      break;
    }
    if (this.#opened === undefined) return;
    this.#nextSeq = seq;
    await this.readOn(journal);
  }

  async readOn(journal: ReadJournal): Promise<void> {
    for await (const event of journal.read({ types: TYPES, fromSeq: this.#nextSeq })) {
      if (event.seq < this.#nextSeq) continue;
      this.#nextSeq = event.seq + 1;
      this.#add(event);
    }
  }

  dropUnseen(): void {
    const dropped = this.#runs.splice(0, Math.max(0, this.#runs.findLastIndex(isShortened)));
    for (const { steps } of dropped) for (const { step } of steps) this.#steps.delete(step);
  }

  #add(event: JournalEvent): void {
    this.#principals.add(event);
    if (event.type === "session-open") this.#opened = event.seq;
    const step = STEP.exec(event.turn)?.[1];
    if (step !== undefined) addCall(this.#steps.get(Number(step))?.calls, event);
    const number = Number(RUN.exec(event.turn)?.[1] ?? 0);
    if (number === 0) return;
    const { seq, turn: id } = event;
    if (event.type === "turn-start") this.#runs.push({ id, number, seq, ...emptyRun() });
    const run = this.#runs.at(-1);
    if (run !== undefined) addToRun(run, event, this.#steps);
  }
}

/** Whether a later run sees nothing of what was before it. While it is unfinished, that may be needed again. */
function isShortened({ isFinished, steps }: RecordedRun): boolean {
  return isFinished && steps.some(({ compaction }) => compaction?.messages !== undefined);
}

function withPrincipal(run: RecordedRun, principals: RecordedPrincipals): RecordedRun {
  const [begun, now] = [principals.of(run.id), principals.of("")];
  return begun === undefined || JSON.stringify(begun) === JSON.stringify(now)
    ? run
    : { ...run, principal: begun };
}

/** A name that was recorded without what was taken for a secret in it: it could be anybody's. */
const REPLACED = /\[redacted:/;

/**
 * On whose behalf the calls of a run are made: the principal that it began for, no matter which process continues it.
 * @throws ToolkeepError `turn_unknown` if the journal does not have its name as it was.
 */
export function begunFor({ id, principal }: RecordedRun): { readonly principal?: Principal } {
  if (principal === undefined) return {};
  if (!REPLACED.test(JSON.stringify(principal))) return { principal };
  const why = "the name of the principal that it was begun for was replaced in the journal";
  throw new ToolkeepError("turn_unknown", `The run ${JSON.stringify(id)} cannot continue: ${why}.`);
}

/** A run that begins with a prompt, as it is recorded. */
export function newRun(number: number, { step, prompt }: { step: number; prompt: string }): RecordedRun {
  const first = newStep(step);
  first.messages.push({ index: 0, text: prompt });
  return { id: runId(number), number, ...emptyRun(), steps: [first], messages: 1 };
}

function emptyRun(): Omit<RecordedRun, "id" | "number"> {
  return { steps: [], messages: 0, received: new Set(), left: new Set(), isFinished: false };
}

function newStep(step: number): RecordedStep {
  return { step, messages: [], calls: { arguments: new Map(), results: new Map(), isOver: false } };
}

function addToRun(run: RecordedRun, event: JournalEvent, steps: Map<number, RecordedStep>): void {
  const stepOf = (step: number): RecordedStep => {
    const known = steps.get(step);
    if (known !== undefined) return known;
    const made = newStep(step);
    steps.set(step, made);
    run.steps.push(made);
    return made;
  };
  if (event.type === "turn-end") run.isFinished = true;
  else if (event.type === "run-end") run.end = { reason: event.reason, text: event.text };
  else if (event.type === "message-receive") {
    stepOf(event.step).messages.push({ index: run.messages, text: event.text });
    run.messages += 1;
    if (event.given !== undefined) run.received.add(event.given);
    if (event.left !== undefined) run.left.add(event.left);
  } else if (event.type === "model-reply")
    stepOf(event.step).reply = event.value.value as RecordedReply | null;
  else if (event.type === "context-compact")
    stepOf(event.step).compaction = event.value.value as RecordedCompaction | null;
}

function addCall(calls: RecordedCalls | undefined, event: JournalEvent): void {
  if (calls === undefined) return;
  if (event.type === "turn-end") calls.isOver = true;
  if (event.type === "call-start" || event.type === "call-refuse")
    calls.arguments.set(event.callId, event.arguments.value);
  if (event.type === "call-end") calls.results.set(event.callId, event.result.value as ToolResult);
  // A refused duplicate says nothing about the call of that id.
  if (event.type === "call-refuse" && event.code !== "duplicate_call")
    calls.results.set(event.callId, event.result.value as ToolResult);
}
