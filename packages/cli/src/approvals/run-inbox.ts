import { setTimeout as wait } from "node:timers/promises";
import type { GivenAnswer, WaitingRequest } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import {
  askApproval,
  askQuestions,
  BAR,
  CHANGED,
  flowed,
  INTERRUPTED,
  Keyboard,
  nextKey,
  type PromptRow,
  plainName,
  questionRows,
  showRows,
  viewOf,
  wrapped,
} from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { EXIT, type ExitCode } from "../terminal/command-error.ts";

export interface InboxOptions {
  /** Whether to stay when nothing waits any more. */
  readonly watch: boolean;
  /** The name of the approver. */
  readonly by: string;
  /** The requests to show. */
  list(): Promise<readonly WaitingRequest[]>;
}

/** An answer that was given in the inbox. */
export interface InboxAnswer {
  readonly id: string;
  readonly sessionId: string;
  readonly answer: GivenAnswer;
}

/** How often the store is read for new requests. */
const LOOK_MS = 1_000;
const MOVES = ["j", "k", "q"];
const NEVER = new AbortController().signal;

/** The pending requests of all sessions, one key each, until the user leaves or none is left. */
export async function runInbox(
  store: Pick<SqliteStore, "answer" | "waiting">,
  options: InboxOptions,
): Promise<{ readonly exit: ExitCode; readonly answers: readonly InboxAnswer[] }> {
  using keyboard = new Keyboard(process.stdin, process.stderr);
  const answers: InboxAnswer[] = [];
  let at: WaitingRequest | undefined;
  for (;;) {
    const list = await options.list();
    if (list.length === 0 && !options.watch) return { exit: EXIT.ok, answers };
    const index = Math.max(
      list.findIndex((one) => isSame(one, at)),
      0,
    );
    at = list[index];
    const outcome = await askNext(list, index, { keyboard, options });
    if (outcome === INTERRUPTED || outcome === "q") {
      process.stderr.write("\n");
      return { exit: outcome === "q" ? EXIT.ok : EXIT.interrupted, answers };
    }
    if (outcome === "j" || outcome === "k") at = list.at((index + (outcome === "j" ? 1 : -1)) % list.length);
    if (typeof outcome === "string" || at === undefined) continue;
    if (await isGiven(store, at, outcome))
      answers.push({ id: at.request.id, sessionId: at.sessionId, answer: outcome });
  }
}

function isSame(one: WaitingRequest, other: WaitingRequest | undefined): boolean {
  return one.request.id === other?.request.id && one.sessionId === other.sessionId;
}

/** Another approver may have answered meanwhile. */
async function isGiven(
  store: Pick<SqliteStore, "answer" | "waiting">,
  { sessionId, request }: WaitingRequest,
  answer: GivenAnswer,
): Promise<boolean> {
  const pending = await store.waiting({ sessionId });
  if (!pending.some((one) => one.request.id === request.id)) return false;
  await store.answer({ sessionId, id: request.id }, answer);
  return true;
}

interface Inbox {
  readonly keyboard: Keyboard;
  readonly options: InboxOptions;
}

/** Shows one request until it is answered, or a key moves on, or the list changes. */
async function askNext(
  list: readonly WaitingRequest[],
  index: number,
  { keyboard, options }: Inbox,
): Promise<GivenAnswer | string> {
  const changed = new AbortController();
  const done = new AbortController();
  const looking = untilChanged(list, options, done.signal).then((isChanged) => {
    if (isChanged) changed.abort();
  });
  const above = (columns: number) => inboxRows(list, { index, columns, now: Date.now() });
  const screen = { keyboard, output: process.stderr, signal: NEVER, changed: changed.signal };
  const one = list[index];
  try {
    if (one === undefined) return await idle(above, screen);
    if ("questions" in one.request) return await answerQuestions(one.request, above, screen);
    const answer = await askApproval(one.request, {
      ...screen,
      ...{ by: options.by, above, moreKeys: MOVES, isAnew: true },
    });
    return typeof answer === "string" ? answer : worded(answer);
  } finally {
    done.abort();
    await looking;
  }
}

/** Whether the list changes before the signal aborts. */
async function untilChanged(
  list: readonly WaitingRequest[],
  options: InboxOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const known = namesOf(list);
  for (;;) {
    await wait(LOOK_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return false;
    if (namesOf(await options.list()) !== known) return true;
  }
}

function namesOf(list: readonly WaitingRequest[]): string {
  return JSON.stringify(list.map(({ sessionId, request }) => [sessionId, request.id]));
}

/** As `toolkeep approvals reject` says it to the model. */
function worded(answer: Exclude<Awaited<ReturnType<typeof askApproval>>, string>): GivenAnswer {
  return answer.verdict === "reject" && answer.message !== undefined
    ? { ...answer, message: `An approver rejected this call: ${answer.message}` }
    : answer;
}

type Screen = Parameters<typeof nextKey>[1];
type Above = (columns: number) => readonly PromptRow[];

async function idle(above: Above, screen: Screen): Promise<string> {
  showRows(screen.output, above(viewOf(screen.output).columns), { isAnew: true });
  return nextKey(["q"], screen);
}

async function answerQuestions(
  request: Extract<WaitingRequest["request"], { questions: unknown }>,
  above: Above,
  screen: Screen,
): Promise<GivenAnswer | string> {
  const { columns } = viewOf(screen.output);
  const keys = flowed(["[a] answer", "[n] no answer"], { columns, tone: "keys" });
  const questions = request.questions.flatMap((one) => questionRows(request, one, columns));
  showRows(screen.output, [...above(columns), ...questions, ...keys], { isAnew: true });
  const key = await nextKey(["a", "n", ...MOVES], screen);
  if (key === "n") return request.questions.map(() => []);
  if (key !== "a") return key;
  const answers = await askQuestions(request, screen);
  return answers.length === 0 ? CHANGED : answers;
}

const MOST_LISTED = 9;
const LONGEST = 1_000;

interface InboxView {
  /** The request that is shown below the list. */
  readonly index: number;
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The list above the prompt: one row for each request, those around the current one. */
function inboxRows(
  list: readonly WaitingRequest[],
  { index, columns, now }: InboxView,
): readonly PromptRow[] {
  const first = Math.max(Math.min(index - Math.floor(MOST_LISTED / 2), list.length - MOST_LISTED), 0);
  const listed = list.slice(first, first + MOST_LISTED);
  const keys = list.length === 0 ? ["[q] quit"] : ["[j] next", "[k] previous", "[q] quit"];
  const more = list.length - listed.length;
  return [
    ...flowed([`INBOX  ${list.length} waiting`, ...keys], { columns, tone: "title" }),
    ...listed.map((one, at) => {
      const mark = first + at === index ? ">" : " ";
      return cutRow(`${mark} ${first + at + 1}. ${summary(one, now)}`, columns);
    }),
    ...(more === 0 ? [] : wrapped(`and ${more} more`, { columns })),
    { text: "" },
  ];
}

function summary({ request, sessionId, askedAt }: WaitingRequest, now: number): string {
  const what = "questions" in request ? (request.questions[0]?.question ?? "") : request.approvalKey;
  const age = Math.max(Math.floor((now - askedAt) / 60_000), 0);
  return `${plainName(request.toolName)}, session ${plainName(sessionId)}, ${age} min: ${visible(what, LONGEST)}`;
}

/** A request is shown as a whole below the list. */
function cutRow(text: string, columns: number): PromptRow {
  const [first, ...rest] = wrapped(text, { first: BAR, columns: columns - 2 });
  return { text: `${first?.text ?? BAR}${rest.length === 0 ? "" : "…"}` };
}
