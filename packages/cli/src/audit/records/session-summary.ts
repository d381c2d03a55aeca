import type { StoredSession } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { GATEWAY_SESSIONS } from "../../approvals/pending-requests.ts";
import { HOOK_CLIENTS } from "../../clients/hook-call.ts";
import { isOfRemovedHooks } from "../../clients/installed/recorded-removal.ts";
import { isAsked } from "./call-filter.ts";
import type { LoggedCall } from "./logged-call.ts";
import { callsOf } from "./logged-calls.ts";

/** What is known of a session. Times are milliseconds since the epoch. */
export interface SessionSummary {
  readonly sessionId: string;
  /** The client whose hooks asked, `gateway`, or the command of ours; absent for an application. */
  readonly client?: string;
  /** The agent that the host application names, and the path to a subagent. */
  readonly agent?: string;
  readonly user?: string;
  /** The folders that it worked in. */
  readonly roots: readonly string[];
  readonly begunAt: number;
  readonly activeAt: number;
  readonly state: StoredSession["state"];
  readonly isInUse: boolean;
  readonly calls: number;
  /** The calls that a person was asked about. */
  readonly asked: number;
  /** The calls that were denied or refused. */
  readonly denied: number;
}

/** Reads a session. @throws ToolkeepError `journal_broken` if its record was changed. */
export async function summaryOf(
  store: Pick<SqliteStore, "events">,
  { sessionId, openedAt: begunAt, activeAt, state, isInUse }: StoredSession,
): Promise<{ readonly summary: SessionSummary; readonly calls: readonly LoggedCall[] }> {
  const calls = await callsOf(store, sessionId);
  const summary = {
    ...{ sessionId, ...clientOf(sessionId), ...(await openedBy(store, sessionId)) },
    ...{ begunAt, activeAt, state, isInUse },
    calls: calls.length,
    asked: calls.filter(isAsked).length,
    denied: calls.filter(({ decision }) => decision === "denied" || decision === "refused").length,
  };
  return { summary, calls };
}

/** The same as JSON. */
export function summaryRecord({ begunAt, activeAt, ...summary }: SessionSummary) {
  const time = (at: number) => new Date(at).toISOString();
  return { ...summary, begunAt: time(begunAt), activeAt: time(activeAt) };
}

/** The ids of the sessions of our own commands begin with the name. */
const OWN = ["call", "pause"];

function clientOf(sessionId: string): { readonly client?: string } {
  const client = HOOK_CLIENTS.find((name) => sessionId.startsWith(`${name}.`));
  if (client !== undefined) return { client };
  if (sessionId.startsWith(GATEWAY_SESSIONS)) return { client: "gateway" };
  if (isOfRemovedHooks(sessionId)) return { client: "decider" };
  const own = OWN.find((name) => sessionId.startsWith(`${name}.`));
  return own === undefined ? {} : { client: `toolkeep ${own}` };
}

/** What the first event says. */
async function openedBy(
  store: Pick<SqliteStore, "events">,
  sessionId: string,
): Promise<Pick<SessionSummary, "agent" | "user" | "roots">> {
  for await (const event of store.events(sessionId, { types: ["session-open"] })) {
    if (event.type !== "session-open") continue;
    const { principal, agents = [], roots = [] } = event;
    const path = [...(principal?.agent === undefined ? [] : [principal.agent]), ...agents];
    return {
      roots,
      ...(path.length === 0 ? {} : { agent: path.join(" › ") }),
      ...(principal?.user === undefined ? {} : { user: principal.user }),
    };
  }
  return { roots: [] };
}
