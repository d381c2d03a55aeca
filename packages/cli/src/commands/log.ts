import type { ChainVerdict } from "@toolkeep/core/journal";
import type { SessionEntry, Store } from "@toolkeep/sqlite";
import type { Command } from "commander";
import { isOfReports } from "../hooks/record-outcome.ts";
import { type LoggedCall, latestCalls } from "../log/logged-calls.ts";
import { withStore } from "../project/with-store.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, subcommand } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep log`. */
export function add(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "log",
    description: "show the latest calls, who or what decided, and the outcome",
  })
    .argument("[session]", "the id of a session, which may be shortened (default: all sessions)")
    .option("--last <number>", "the number of calls to show", LAST)
    .option(
      "--store <folder>",
      "the store of an application, as given to openStore (default: Toolkeep's own)",
    )
    .option("--verify", "check the hash chain of the audit log instead")
    .action(async (session: string | undefined, _options, command: Command) =>
      done(await showLog({ ...optionsOf(command), session })),
    );
}

const LAST = "20";

interface LogOptions extends CommonOptions {
  readonly session: string | undefined;
  readonly last?: string;
  readonly store?: string;
  readonly verify?: boolean;
}

async function showLog(options: LogOptions): Promise<number> {
  const { session, store: folder, verify = false } = options;
  const last = countOf(options.last ?? LAST);
  const terminal = openTerminal(options);
  const show = async (store: Store) => {
    if (verify) return verifySessions(store, { session, terminal });
    const calls = await latestCalls(store, { sessions: findSessions(store, session), last });
    terminal.show(
      calls.map(({ at, ...call }) => ({ at: new Date(at).toISOString(), ...call })),
      calls.flatMap(callLines),
    );
    if (calls.length === 0) terminal.note("No calls are recorded yet.");
    return EXIT.ok;
  };
  return withStore(terminal.cwd, show, folder);
}

interface Verification {
  readonly session: string | undefined;
  readonly terminal: Terminal;
}

async function verifySessions(store: Store, { session, terminal }: Verification): Promise<number> {
  const checked: { readonly sessionId: string; readonly verdict: ChainVerdict }[] = [];
  for (const { sessionId } of findSessions(store, session))
    checked.push({ sessionId, verdict: await store.verify(sessionId) });
  terminal.show(
    checked.map(({ sessionId, verdict }) => ({ sessionId, ...verdict })),
    checked.map(({ sessionId, verdict }) => `${sessionId}  ${verdictMessage(verdict)}`),
  );
  if (checked.length === 0) terminal.note("No sessions are recorded yet.");
  return checked.every(({ verdict }) => verdict.intact) ? EXIT.ok : EXIT.failure;
}

function verdictMessage(verdict: ChainVerdict): string {
  if (verdict.intact) return `intact, ${verdict.batches} batches, head ${verdict.head}`;
  return `CHANGED: batch ${verdict.batch}: ${verdict.diagnostic}`;
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new CommandError(`--last ${JSON.stringify(text)} is not a number of calls.`, {
    exit: EXIT.usage,
    hint: "Use a whole number greater than 0.",
  });
}

/**
 * The session with an id, which may be shortened, or all sessions; latest activity first.
 * @throws CommandError if no session or several match.
 */
function findSessions(store: Pick<Store, "sessions">, id: string | undefined): readonly SessionEntry[] {
  const all = store.sessions();
  if (id === undefined) return all;
  const isShortened = ({ sessionId }: SessionEntry) => sessionId.startsWith(id) && !isOfReports(sessionId);
  const exact = all.filter(({ sessionId }) => sessionId === id);
  const matching = exact.length > 0 ? exact : all.filter(isShortened);
  if (matching.length === 1) return matching;
  if (matching.length === 0) {
    throw new CommandError(`No session has the id ${JSON.stringify(id)}.`, {
      hint: "Run `toolkeep log` to see the latest calls of all sessions, with their ids.",
    });
  }
  throw new CommandError(`${JSON.stringify(id)} matches ${matching.length} sessions.`, {
    exit: EXIT.usage,
    hint: `Use a longer id, e.g. ${matching[0]?.sessionId}.`,
  });
}

const MOST_EFFECTS = 5;

/** A call for people: its effects, then who or what decided and the outcome. */
function callLines(call: LoggedCall): readonly string[] {
  const { at, sessionId, tool, effects } = call;
  const rest = effects.length > MOST_EFFECTS ? [`and ${effects.length - MOST_EFFECTS} more`] : [];
  const what = [...effects.slice(0, MOST_EFFECTS), ...rest].map(oneLine).join(", ");
  return [
    `${new Date(at).toISOString()}  ${tool}${what === "" ? "" : `: ${what}`}`,
    `  ${decisionParts(call).map(oneLine).join("; ")}  (${sessionId})`,
    ...crashLines(call),
  ];
}

const MOST_CRASH_LINES = 12;

/** What a tool threw, with the beginning of its stack. */
function crashLines({ crash }: LoggedCall): readonly string[] {
  const lines = crash?.split("\n") ?? [];
  return lines.slice(0, MOST_CRASH_LINES).map((line) => `  | ${oneLine(line)}`);
}

/** What is known of a call that the client runs: a user's "No" in its dialog, for example, is not reported. */
const OUTCOMES: Readonly<Record<string, string>> = {
  unknown: "outcome unknown",
  ran: "ran",
  failed: "ran and failed",
  started: "started in the background",
  refused: "refused by the client",
};

function decisionParts({ decision, by, person, outcome }: LoggedCall): readonly string[] {
  const asked = by === undefined ? [] : [`asked by ${by}`];
  const ofClient = OUTCOMES[outcome ?? ""];
  if (decision === "delegated") return ["delegated to the client", ofClient ?? "outcome unknown", ...asked];
  if (decision === "noticed") return ["noticed by the decider"];
  if (decision === "waiting") return ["waiting for an approver", ...asked];
  return [
    by === undefined ? decision : `${decision} by ${by}`,
    ...(person === undefined ? [] : [`answered by ${person}`]),
    ...(ofClient === undefined ? [] : ["delegated to the client", ofClient]),
    ...(ofClient !== undefined || outcome === undefined ? [] : [outcome]),
  ];
}

/** Text of a model or a server cannot begin a new line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, "\u23ce");
}
