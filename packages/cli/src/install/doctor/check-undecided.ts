import { stat } from "node:fs/promises";
import { join } from "node:path";
import { errorText, joinCommand } from "@toolkeep/core/internal";
import { findProject } from "@toolkeep/node/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import type { HookCall } from "../../clients/hook-call.ts";
import type { InstallClientName } from "../../clients/install-client.ts";
import { type InstallRecord, InstallRecords } from "../../clients/installed/install-record.ts";
import { plainId } from "../../clients/payload.ts";
import { sessionIdOf } from "../../hooks/decide/decide-call.ts";
import { HOOKS } from "../../hooks/read/hooks-of-clients.ts";
import { activePause } from "../../project/pause/pauses.ts";
import type { Project } from "../../project/read-project.ts";
import { claudeHistory } from "../../scan/claude-history.ts";
import { codexHistory } from "../../scan/codex-history.ts";
import { opencodeHistory } from "../../scan/opencode-history.ts";
import type { History, RecordedCall } from "../../scan/recorded-call.ts";
import { type Finding, part } from "./finding.ts";

const HISTORIES: Readonly<Partial<Record<InstallClientName, () => History>>> = {
  "claude-code": claudeHistory,
  codex: codexHistory,
  opencode: opencodeHistory,
};

const DAY_MS = 86_400_000;
const MOST_DAYS = 7;

/** Calls of the last days that the client's own history has, and the log has no decision about. */
export async function checkUndecided(
  installed: readonly InstallRecord[],
  project: Project,
): Promise<readonly Finding[]> {
  const withHistory = installed.filter(({ client }) => HISTORIES[client] !== undefined);
  if (withHistory.length === 0) return [];
  try {
    await using store = openSqliteStore({ path: project.storeFolder });
    const all = withHistory.map((record) => undecidedFindings(record, project, store));
    return (await Promise.all(all)).flat();
  } catch (error) {
    const message = `Your client history was not compared with the log: ${errorText(error)}`;
    return [part("log").note("calls_not_compared", message, "toolkeep sessions verify")];
  }
}

async function undecidedFindings(
  record: InstallRecord,
  project: Project,
  store: SqliteStore,
): Promise<readonly Finding[]> {
  const { client, project: root, state } = record;
  const history = HISTORIES[client]?.();
  const written = await stat(join(new InstallRecords(root).folder, `${client}.json`)).catch(() => undefined);
  if (history === undefined || written === undefined || state !== "done") return [];
  const { keepDays = MOST_DAYS } = project.config.journal;
  const since = Math.max(written.mtimeMs, Date.now() - Math.min(keepDays, MOST_DAYS) * DAY_MS);
  const until = (await activePause(project))?.since ?? Number.POSITIVE_INFINITY;
  const ran: Ran[] = [];
  for await (const { folder, calls } of history.conversations(SILENT, { since, project: root })) {
    const own = calls.filter(({ at, hasRun }) => hasRun === true && at >= since && at < until);
    if (own.length === 0 || folder === undefined || (await findProject(folder)) !== root) continue;
    ran.push(...own.flatMap((call) => decidable(call, record)));
  }
  if (ran.length === 0) return [];
  const decided = await decidedSince(store, { client, since });
  const undecided = ran.filter(({ callId }) => !decided.calls.has(callId));
  return undecided.length === 0 ? [] : [notCalled(record, undecided, decided.sessions)];
}

const SILENT = { unknown: () => {}, skipped: () => {} };

interface Ran {
  readonly at: number;
  readonly callId: string;
  readonly sessionId: string;
}

/** The call, if the hook that is installed is called for it and records it under the client's id. */
function decidable({ at, payload }: RecordedCall, { client, project, files }: InstallRecord): readonly Ran[] {
  if (client === "vscode") return [];
  let call: HookCall | undefined;
  try {
    call = HOOKS[client].read({ cwd: project, ...payload }, { CLAUDE_PROJECT_DIR: project });
  } catch {
    return [];
  }
  const { callId, calls = [], remote, label = "", conversation = "" } = call ?? {};
  const hook = files.flatMap(({ edits }) => edits).find(({ path }) => path.at(-1) === "PreToolUse");
  const { matcher = "*" } = (hook?.value ?? {}) as { readonly matcher?: string };
  const isMatched = matcher === "*" || new RegExp(`^(?:${matcher})$`).test(label);
  // The gateway records the calls of servers. Some unknown tools call no hook.
  const isRecorded = calls.length > 0 && calls.every(({ tool }) => tool !== "client_unknown");
  if (callId === undefined || remote !== undefined || !isRecorded || !isMatched) return [];
  return [{ at, callId: plainId(callId), sessionId: sessionIdOf(client, conversation) }];
}

/** By all sessions of the client: a conversation that continues in another one repeats its calls. */
async function decidedSince(
  store: SqliteStore,
  { client, since }: { readonly client: InstallClientName; readonly since: number },
) {
  const found = store
    .sessions()
    .filter(({ sessionId, activeAt }) => activeAt >= since && sessionId.startsWith(`${client}.`));
  const calls = new Set<string>();
  for (const { sessionId } of found)
    for await (const event of store.events(sessionId, { types: ["call-start", "call-refuse", "call-end"] }))
      if ("callId" in event) calls.add(event.callId);
  return { calls, sessions: new Set(found.map(({ sessionId }) => sessionId)) };
}

function notCalled(
  { client, project }: InstallRecord,
  undecided: readonly Ran[],
  sessions: ReadonlySet<string>,
): Finding {
  const { at, sessionId } = undecided.reduce((one, other) => (other.at > one.at ? other : one));
  const count = undecided.length === 1 ? "1 call" : `${undecided.length} calls`;
  const why = sessions.has(sessionId)
    ? "The log has other calls of that session, so the hook was off for a while or did not answer."
    : "The log has nothing of that session: the client was started without your settings, as some ACP clients do, or its hooks were off.";
  return part(client).gap(
    "calls_undecided",
    `It ran ${count} since the installation without asking the hook, the last one at ${new Date(at).toISOString()} in session ${sessionId}. ${why}`,
    client === "claude-code"
      ? "sudo toolkeep init claude-code --managed"
      : joinCommand(["toolkeep", "init", client, "--project", project]),
  );
}
