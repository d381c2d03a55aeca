import { ToolkeepError } from "@toolkeep/core";
import { defined, PRINCIPAL_EVENTS, RecordedPrincipals } from "@toolkeep/core/internal";
import type { JournalEvent, StoredSession } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { DELEGATED, isDelegation } from "../../clients/hook-call.ts";
import { isOfRemovedHooks } from "../../clients/installed/recorded-removal.ts";
import { isOfReports, REPORT_TOOL, reportsOf } from "../../project/store/reported-sessions.ts";
import { type CallFilter, isMatching } from "./call-filter.ts";
import type { LoggedCall } from "./logged-call.ts";

const LOGGED_EVENTS = [
  "approval-request",
  "approval-answer",
  "call-start",
  "call-end",
  "call-refuse",
  "tool-crash",
] as const satisfies readonly JournalEvent["type"][];

export interface LatestQuery {
  /** Sorted by latest activity, newest first. */
  readonly sessions: readonly StoredSession[];
  readonly last: number;
  readonly filter: CallFilter;
  /** Is told every call of each session that was read, whether it matches or not. */
  onRead?(sessionId: string, calls: readonly LoggedCall[]): void;
  /** Is told the sessions whose record was changed; they are left out. */
  onBroken(sessionId: string, error: Error): void;
}

/** The last calls of these sessions that match, oldest call first. */
export async function latestCalls(
  store: Pick<SqliteStore, "events">,
  { sessions, last, filter, onRead, onBroken }: LatestQuery,
): Promise<readonly LoggedCall[]> {
  let latest: readonly LoggedCall[] = [];
  for (const { sessionId, activeAt } of sessions.filter((one) => !isOfReports(one.sessionId))) {
    // All calls of this session and the following ones are older.
    if (activeAt < filter.since || (latest.length >= last && (latest[0]?.at ?? activeAt + 1) > activeAt))
      break;
    const calls = await unlessBroken(sessionId, () => callsOf(store, sessionId), onBroken);
    onRead?.(sessionId, calls);
    const matching = calls.filter((call) => isMatching(call, filter));
    latest = [...latest, ...matching].toSorted((one, other) => one.at - other.at);
    latest = latest.slice(Math.max(0, latest.length - last));
  }
  return latest;
}

async function unlessBroken(
  sessionId: string,
  read: () => Promise<readonly LoggedCall[]>,
  onBroken: LatestQuery["onBroken"],
): Promise<readonly LoggedCall[]> {
  try {
    return await read();
  } catch (error) {
    if (!ToolkeepError.isInstance(error) || error.code !== "journal_broken") throw error;
    onBroken(sessionId, error);
    return [];
  }
}

/** A session's calls, by their first event, with what its client reported. @throws ToolkeepError `journal_broken` */
export async function callsOf(
  store: Pick<SqliteStore, "events">,
  sessionId: string,
): Promise<readonly LoggedCall[]> {
  const reported = await reportedOf(store, sessionId);
  const calls = new Map<string, LoggedCall>();
  /** An answer names only its request. */
  const callOfRequest = new Map<string, string>();
  const principals = new RecordedPrincipals();
  for await (const event of store.events(sessionId, { types: [...PRINCIPAL_EVENTS, ...LOGGED_EVENTS] })) {
    principals.add(event);
    const callId = callIdOf(event, callOfRequest);
    if (callId === undefined) continue;
    const { turn, at } = event;
    const key = `${turn}/${callId}`;
    const before = calls.get(key) ?? {
      ...NEW_CALL,
      at,
      sessionId,
      turn,
      callId,
      ...defined({ user: principals.of(turn)?.user }),
    };
    const after = { ...before, ...changeBy(event, before), changedAt: at };
    const report = after.outcome === "unknown" ? reported.get(callId) : undefined;
    calls.set(
      key,
      report === undefined
        ? after
        : { ...after, outcome: report.outcome, changedAt: Math.max(at, report.at) },
    );
  }
  return [...calls.values()];
}

/** What the client of a session reported. Most sessions have no reports. */
export async function reportedOf(
  store: Pick<SqliteStore, "events">,
  sessionId: string,
): Promise<ReadonlyMap<string, Report>> {
  try {
    return await reportsIn(store.events(reportsOf(sessionId), { types: ["call-end"] }));
  } catch (error) {
    if (ToolkeepError.isInstance(error) && error.code === "invalid_option") return new Map();
    throw error;
  }
}

interface Report {
  readonly outcome: string;
  readonly at: number;
}

/** By the client's ids of the calls. */
async function reportsIn(events: AsyncIterable<JournalEvent>): Promise<ReadonlyMap<string, Report>> {
  const reported = new Map<string, Report>();
  for await (const event of events) {
    if (event.type !== "call-end" || event.tool !== REPORT_TOOL) continue;
    const { data } = event.result.value as { readonly data?: unknown };
    if (typeof data === "string") reported.set(event.callId, { outcome: data, at: event.at });
  }
  return reported;
}

const NEW_CALL = { tool: "", effects: [], decision: "waiting", changedAt: 0 } as const;

function callIdOf(event: JournalEvent, callOfRequest: Map<string, string>): string | undefined {
  if (event.type === "approval-answer") return callOfRequest.get(`${event.turn}/${event.id}`);
  if (event.type !== "approval-request") return "callId" in event ? event.callId : undefined;
  callOfRequest.set(`${event.turn}/${event.id}`, event.request.callId);
  return event.request.callId;
}

function changeBy(event: JournalEvent, before: LoggedCall): Partial<LoggedCall> {
  switch (event.type) {
    case "approval-request": {
      const { toolName, effects, askedBy, reason } = event.request;
      return { tool: toolName, effects: targetsOf(effects), by: askedBy.join(", "), reason };
    }
    case "approval-answer": {
      const { by, signed = [] } = event.answer as {
        readonly by?: string;
        readonly signed?: readonly unknown[];
      };
      if (by === undefined) return {};
      if (isDelegation(by)) return { decision: "delegated" };
      return { person: signed.length > 0 ? `${by}, signed` : by };
    }
    case "call-start": {
      const { tool, effects, allowedBy, ruleAt, shadow } = event;
      const at = defined({ ruleAt, shadow });
      if (isOfRemovedHooks(before.sessionId))
        return { tool, effects: targetsOf(effects), decision: "noticed" };
      const decided =
        before.decision === "delegated"
          ? defined({ shadow })
          : { decision: "allowed" as const, by: allowedBy, ...at };
      return { tool, effects: targetsOf(effects), ...decided };
    }
    case "call-end":
      return { outcome: event.ok ? outcomeOf(event.result.value) : failureOf(event.result.value) };
    case "call-refuse": {
      const { tool, effects = [], deniedBy, ruleAt, shadow, stage, code } = event;
      const decision = deniedBy === undefined ? "refused" : "denied";
      const why = messageOf(event.result.value);
      const reason = why === undefined ? {} : { reason: why };
      const at = defined({ ruleAt, shadow });
      const by = deniedBy ?? stage;
      return { tool, effects: targetsOf(effects), decision, by, ...at, outcome: code, ...reason };
    }
    case "tool-crash":
      return { tool: event.tool, crash: event.stack };
    default:
      return {};
  }
}

interface Target {
  readonly capability: string;
  readonly target: string;
  readonly implied?: boolean;
}

function targetsOf(effects: readonly Target[]): readonly string[] {
  return effects
    .filter(({ implied }) => implied !== true)
    .map(({ capability, target }) => `${capability} ${target}`);
}

/** The dry-run tools of hooks return a marker instead of a result. */
function outcomeOf(result: unknown): string {
  const data = (result as { readonly data?: unknown } | undefined)?.data;
  return data === DELEGATED ? "unknown" : "done";
}

function failureOf(result: unknown): string {
  const { code } = failureIn(result);
  return typeof code === "string" ? code : "failed";
}

function messageOf(result: unknown): string | undefined {
  const { message } = failureIn(result);
  return typeof message === "string" ? message : undefined;
}

function failureIn(result: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return (result as { readonly failure?: object } | undefined)?.failure ?? {};
}
