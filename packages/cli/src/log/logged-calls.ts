import type { JournalEvent } from "@toolkeep/core/journal";
import type { SessionEntry, Store } from "@toolkeep/sqlite";
import { DELEGATED, isDelegation } from "../hooks/hook-call.ts";
import { isOfReports, REPORT_TOOL, reportsOf } from "../hooks/record-outcome.ts";
import { isOfRemovedHooks } from "./removed-hooks.ts";

/** One call, as the journal records it. */
export interface LoggedCall {
  /** The time of the first event of the call, in milliseconds since the epoch. */
  readonly at: number;
  readonly sessionId: string;
  readonly tool: string;
  /** The effects that were resolved for the call. */
  readonly effects: readonly string[];
  /**
   * `delegated`: the client was told to ask its user, and its answer is unknown. `noticed`: it is no call; hooks of a
   * client were removed.
   */
  readonly decision: "allowed" | "denied" | "refused" | "waiting" | "delegated" | "noticed";
  /** The rule, the watchdog, the mode or the stage that decided. */
  readonly by?: string;
  /** The approver, if one answered. */
  readonly person?: string;
  /**
   * `done` or a failure code. Of a call that a client runs: `ran`, `failed`, `started` (in the background) or `refused`
   * as far as the client reported it, otherwise `unknown`. Absent while the call runs or waits.
   */
  readonly outcome?: string;
  /** What the tool threw, with its stack, if it crashed. */
  readonly crash?: string;
}

const LOGGED_EVENTS = [
  "approval-request",
  "approval-answer",
  "call-start",
  "call-end",
  "call-refuse",
  "tool-crash",
] as const satisfies readonly JournalEvent["type"][];

/** The last calls of these sessions, oldest call first. The sessions must be sorted by latest activity, newest first. */
export async function latestCalls(
  store: Pick<Store, "events" | "sessions">,
  { sessions, last }: { readonly sessions: readonly SessionEntry[]; readonly last: number },
): Promise<readonly LoggedCall[]> {
  let latest: readonly LoggedCall[] = [];
  const known = new Set(store.sessions().map(({ sessionId }) => sessionId));
  for (const { sessionId, activeAt } of sessions.filter((one) => !isOfReports(one.sessionId))) {
    // All calls of this session and the following ones are older.
    if (latest.length === last && (latest[0]?.at ?? 0) > activeAt) break;
    const reports = reportsOf(sessionId);
    const reported = known.has(reports)
      ? await reportsIn(store.events(reports, { types: ["call-end"] }))
      : new Map<string, string>();
    const calls = await loggedCalls(sessionId, store.events(sessionId, { types: LOGGED_EVENTS }), reported);
    latest = [...latest, ...calls].toSorted((one, other) => one.at - other.at).slice(-last);
  }
  return latest;
}

/** The calls of one session, in the order of their first event. */
async function loggedCalls(
  sessionId: string,
  events: AsyncIterable<JournalEvent>,
  reported: ReadonlyMap<string, string>,
): Promise<readonly LoggedCall[]> {
  const calls = new Map<string, LoggedCall>();
  /** An answer names only its request. */
  const callOfRequest = new Map<string, string>();
  for await (const event of events) {
    const callId = callIdOf(event, callOfRequest);
    if (callId === undefined) continue;
    const key = `${event.turn}/${callId}`;
    const before = calls.get(key) ?? { ...NEW_CALL, at: event.at, sessionId };
    const after = { ...before, ...changeBy(event, before) };
    const outcome = after.outcome === "unknown" ? reported.get(callId) : undefined;
    calls.set(key, outcome === undefined ? after : { ...after, outcome });
  }
  return [...calls.values()];
}

/** What a client reported, by its ids of the calls. */
async function reportsIn(events: AsyncIterable<JournalEvent>): Promise<ReadonlyMap<string, string>> {
  const reported = new Map<string, string>();
  for await (const event of events) {
    if (event.type !== "call-end" || event.tool !== REPORT_TOOL) continue;
    const { data } = event.result.value as { readonly data?: unknown };
    if (typeof data === "string") reported.set(event.callId, data);
  }
  return reported;
}

const NEW_CALL = { tool: "", effects: [], decision: "waiting" } as const;

function callIdOf(event: JournalEvent, callOfRequest: Map<string, string>): string | undefined {
  if (event.type === "approval-answer") return callOfRequest.get(`${event.turn}/${event.id}`);
  if (event.type !== "approval-request") return "callId" in event ? event.callId : undefined;
  callOfRequest.set(`${event.turn}/${event.id}`, event.request.callId);
  return event.request.callId;
}

function changeBy(event: JournalEvent, before: LoggedCall): Partial<LoggedCall> {
  switch (event.type) {
    case "approval-request": {
      const { toolName, effects, askedBy } = event.request;
      return { tool: toolName, effects: targetsOf(effects), by: askedBy.join(", ") };
    }
    case "approval-answer": {
      const { by } = event.answer;
      if (by === undefined) return {};
      return isDelegation(by) ? { decision: "delegated" } : { person: by };
    }
    case "call-start": {
      const { tool, effects, allowedBy } = event;
      if (isOfRemovedHooks(before.sessionId))
        return { tool, effects: targetsOf(effects), decision: "noticed" };
      const decided = before.decision === "delegated" ? {} : { decision: "allowed" as const, by: allowedBy };
      return { tool, effects: targetsOf(effects), ...decided };
    }
    case "call-end":
      return { outcome: event.ok ? outcomeOf(event.result.value) : failureOf(event.result.value) };
    case "call-refuse": {
      const { tool, effects = [], deniedBy, stage, code } = event;
      const decision = deniedBy === undefined ? "refused" : "denied";
      return { tool, effects: targetsOf(effects), decision, by: deniedBy ?? stage, outcome: code };
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
  const code = (result as { readonly failure?: { readonly code?: unknown } } | undefined)?.failure?.code;
  return typeof code === "string" ? code : "failed";
}
