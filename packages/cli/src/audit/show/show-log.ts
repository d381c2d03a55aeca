import type { SqliteStore } from "@toolkeep/sqlite";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import { type Terminal, writeJsonLine } from "../../terminal/terminal.ts";
import { brokenNote, verifySessions } from "../evidence/verify-sessions.ts";
import { type CallFilter, type FilterOptions, filterOf } from "../records/call-filter.ts";
import { findSession, sessionsOf, shortIds } from "../records/find-session.ts";
import { FollowedCalls } from "../records/follow-calls.ts";
import type { LoggedCall } from "../records/logged-call.ts";
import { latestCalls } from "../records/logged-calls.ts";
import { callLines, callRecord } from "./call-lines.ts";

export interface LogOptions extends FilterOptions {
  readonly session: string | undefined;
  readonly last?: string | undefined;
  readonly store?: string | undefined;
  readonly follow?: boolean;
  readonly verify?: boolean;
}

/** Shows the latest calls, and with `follow` those that come. */
export async function showLog(options: LogOptions, terminal: Terminal): Promise<number> {
  const { session, store: folder, follow = false, verify = false } = options;
  const filter = filterOf(options);
  const last = lastOf(options);
  const use = (store: SqliteStore) => {
    if (verify) return verifySessions(store, { ids: session === undefined ? [] : [session] }, terminal);
    const shown = { sessionId: findSession(store, session), last, filter };
    return follow ? followLog(store, shown, terminal) : showLatest(store, shown, terminal);
  };
  return withStore(terminal.cwd, use, folder);
}

const LAST = 20;

/** Without a number, everything since a time, or the last calls. */
function lastOf({ last, since, follow = false }: LogOptions): number {
  if (last === undefined) return since === undefined ? LAST : Number.POSITIVE_INFINITY;
  const count = Number(last);
  if (Number.isSafeInteger(count) && count >= (follow ? 0 : 1)) return count;
  throw usageError(
    `--last ${JSON.stringify(last)} is not a number of calls.`,
    "Use a whole number greater than 0.",
  );
}

interface Shown {
  readonly sessionId: string | undefined;
  readonly last: number;
  readonly filter: CallFilter;
}

async function showLatest(
  store: SqliteStore,
  { sessionId, last, filter }: Shown,
  terminal: Terminal,
): Promise<number> {
  const broken = new Set<string>();
  const calls = await latestCalls(store, {
    sessions: sessionsOf(store, sessionId),
    last,
    filter,
    onBroken: (id) => broken.add(id),
  });
  const short = shortIds(store);
  const lines = calls.flatMap((call) => callLines(call, short));
  terminal.show(calls.map(callRecord), lines);
  if (calls.length === 0)
    terminal.note(isEverything(filter) ? "No calls are recorded yet." : "No call matches.");
  for (const id of broken) terminal.note(brokenNote(id));
  return broken.size === 0 ? EXIT.ok : EXIT.failure;
}

function isEverything({ since, tools, decisions, isShadowed }: CallFilter): boolean {
  return since === 0 && !isShadowed && tools.length === 0 && decisions.length === 0;
}

/** Returns the exit code of the signal that ends it. */
async function followLog(
  store: SqliteStore,
  { sessionId, last, filter }: Shown,
  terminal: Terminal,
): Promise<number> {
  const ended = new AbortController();
  const exit = endedBySignal(ended);
  const onBroken = (id: string) => terminal.note(brokenNote(id));
  const followed = new FollowedCalls(store, { filter, session: sessionId, signal: ended.signal, onBroken });
  const onRead = followed.note.bind(followed);
  const sessions = sessionsOf(store, sessionId);
  const short = shortIds(store);
  const show = (call: LoggedCall) =>
    terminal.json ? writeJsonLine(callRecord(call)) : terminal.show(undefined, callLines(call, short));
  for (const call of await latestCalls(store, { sessions, last, filter, onRead, onBroken })) show(call);
  if (process.stdout.isTTY === true) terminal.note("Waiting for calls. Press Ctrl-C to end.");
  for await (const call of followed.read()) show(call);
  return exit;
}

function endedBySignal(ended: AbortController): Promise<number> {
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)
      process.once(signal, () => {
        resolve(code);
        ended.abort();
      });
  });
}
