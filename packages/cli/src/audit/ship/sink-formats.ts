import { currentProgram, defined } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { Machine } from "../evidence/machine.ts";
import { isLeftToClient, type SentEvent } from "./sent-events.ts";

/** How events are written for a receiver. */
export interface SinkFormat {
  readonly contentType: string;
  /** The lines of a file, without their ends. */
  lines(events: readonly SentEvent[], from: Machine): readonly string[];
  /** The body of one request; `undefined` if none of the events is sent. */
  body(events: readonly SentEvent[], from: Machine): string | undefined;
}

/** The events as they were written, each with its id and where it comes from. */
const jsonl: SinkFormat = {
  contentType: "application/x-ndjson",
  lines: (events, from) =>
    events.map(({ id, sessionId, line }) => {
      const head = JSON.stringify({ id, session: sessionId, from }).slice(0, -1);
      return `${head},"event":${line}}`;
    }),
  body: (events, from) => (events.length === 0 ? undefined : `${jsonl.lines(events, from).join("\n")}\n`),
};

const INFO = { severityNumber: 9, severityText: "INFO" } as const;
const WARN = { severityNumber: 13, severityText: "WARN" } as const;

/** Logs of OpenTelemetry, in its JSON form. https://opentelemetry.io/docs/specs/otlp/ */
const otlp: SinkFormat = {
  contentType: "application/json",
  lines: (events, from) => (events.length === 0 ? [] : [JSON.stringify(logsRequest(events, from))]),
  body: (events, from) => (events.length === 0 ? undefined : JSON.stringify(logsRequest(events, from))),
};

function logsRequest(events: readonly SentEvent[], { host, id, account }: Machine): object {
  const { name, version } = currentProgram();
  const attributes = [
    ...[text("service.name", name), text("service.version", version), text("host.name", host)],
    ...(id === undefined ? [] : [text("host.id", id)]),
    text("process.owner", account),
  ];
  const resource = { attributes };
  const scope = { name: "toolkeep.audit" };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: events.map(logRecord) }] }] };
}

function logRecord(sent: SentEvent): object {
  const { id, sessionId, event, line } = sent;
  const { type, at, seq, turn } = event;
  const { user, tenant } = sent.principal ?? {};
  return {
    timeUnixNano: `${Math.trunc(at)}000000`,
    ...(type === "call-refuse" || type === "access-refuse" ? WARN : INFO),
    eventName: `toolkeep.${type}`,
    body: { stringValue: line },
    attributes: [
      // Names the record, so that one that is sent twice counts once.
      text("log.record.uid", id),
      text("event.name", `toolkeep.${type}`),
      text("session.id", sessionId),
      { key: "toolkeep.seq", value: { intValue: String(seq) } },
      ...(turn === "" ? [] : [text("toolkeep.turn", turn)]),
      ...(user === undefined ? [] : [text("user.name", user)]),
      ...(tenant === undefined ? [] : [text("toolkeep.tenant", tenant)]),
      ...("tool" in event ? [text("gen_ai.tool.name", event.tool)] : []),
      ...shadowAttributes(event),
    ],
  };
}

/** What rules on trial would have done. */
function shadowAttributes(event: JournalEvent): readonly object[] {
  const shadow = shadowOf(event);
  if (shadow === undefined) return [];
  return [text("toolkeep.shadow.action", shadow.action), text("toolkeep.shadow.reason", shadow.reason)];
}

function shadowOf(event: JournalEvent) {
  return event.type === "call-start" || event.type === "call-refuse" ? event.shadow : undefined;
}

function text(key: string, value: string): object {
  return { key, value: { stringValue: value } };
}

/**
 * The user of OCSF, with groups and the tenant as the organization. A user has a name or an account there: one without a
 * name has that of the tenant, and of one with groups alone the groups are not mapped.
 */
function actorOf({ principal }: SentEvent): object {
  const { user, groups = [], tenant } = principal ?? {};
  if (user === undefined && tenant === undefined) return {};
  return {
    user: {
      ...(user === undefined ? { type_id: 0, account: { name: tenant } } : { name: user, type_id: 1 }),
      ...(groups.length === 0 ? {} : { groups: groups.map((name) => ({ name })) }),
      ...(tenant === undefined ? {} : { org: { name: tenant } }),
    },
  };
}

/** What has no place in an API Activity: what decided, and the groups of a user without a name. */
function unmappedOf(sent: SentEvent): object {
  const { user, groups = [], tenant } = sent.principal ?? {};
  const isMapped = groups.length === 0 || user !== undefined || tenant !== undefined;
  const shadow = shadowOf(sent.start ?? sent.event);
  const unmapped = { ...decidedByOf(sent), ...defined({ shadow }), ...(isMapped ? {} : { groups }) };
  return Object.keys(unmapped).length === 0 ? {} : { unmapped };
}

/** OCSF: one API Activity for each call that ended or was refused, and for each answer of a person. */
const ocsf: SinkFormat = {
  contentType: "application/json",
  lines: (events, from) =>
    events.flatMap((event) => activityOf(event, from) ?? []).map((one) => JSON.stringify(one)),
  body(events, from) {
    const activities = events.flatMap((event) => activityOf(event, from) ?? []);
    return activities.length === 0 ? undefined : JSON.stringify(activities);
  },
};

const API_ACTIVITY = 6003;
/** The version of OCSF whose classes and attributes are used. */
const OCSF_VERSION = "1.6.0";
const ACTIVITY = { create: 1, read: 2, update: 3, delete: 4, other: 99 } as const;

/** An API Activity; `undefined` for an event that is none. */
export function activityOf(sent: SentEvent, from: Machine): object | undefined {
  const outcome = outcomeOf(sent.event);
  if (outcome === undefined) return undefined;
  const { id, sessionId, event, start, opened } = sent;
  const { name, version } = opened?.program ?? currentProgram();
  const activity = activityId(sent);
  return {
    ...{
      category_uid: 6,
      class_uid: API_ACTIVITY,
      activity_id: activity,
      type_uid: API_ACTIVITY * 100 + activity,
    },
    ...{ severity_id: outcome.isRefused === true ? 2 : 1, time: Math.trunc(event.at) },
    ...{ status_id: outcome.statusId, status: outcome.status },
    ...(outcome.detail === undefined ? {} : { status_detail: outcome.detail }),
    metadata: {
      ...{ version: OCSF_VERSION, uid: id, event_code: event.type, sequence: event.seq },
      ...{ correlation_uid: `${sessionId}/${event.turn}/${callOf(event)}` },
      profiles: ["host"],
      product: { name, vendor_name: "Toolkeep", version },
      ...(opened?.policy === undefined ? {} : { labels: [`policy:${opened.policy}`] }),
    },
    actor: {
      ...actorOf(sent),
      ...{ app_name: sent.principal?.agent ?? name, session: { uid: sessionId } },
    },
    api: {
      operation: outcome.operation ?? ("tool" in event ? event.tool : event.type),
      service: { name: "origin" in event && typeof event.origin === "string" ? event.origin : "toolkeep" },
      request: { uid: callOf(event) },
    },
    ...placesOf(from),
    ...resources(start ?? event),
    ...unmappedOf(sent),
  };
}

/** The machine as the device, and the account that the record was read from as its owner. */
function placesOf({ host, id, account }: Machine): object {
  const place = { hostname: host, ...defined({ uid: id }), owner: { name: account, type_id: 1 } };
  return { device: { ...place, type_id: 0 }, src_endpoint: place };
}

interface Outcome {
  readonly statusId: 0 | 1 | 2 | 99;
  readonly status: string;
  readonly detail?: string;
  readonly isRefused?: true;
  readonly operation?: string;
}

function outcomeOf(event: JournalEvent): Outcome | undefined {
  if (isLeftToClient(event)) return { statusId: 0, status: "Unknown", detail: "left to the client" };
  switch (event.type) {
    case "call-end":
      return event.ok ? { statusId: 1, status: "Success" } : { statusId: 2, status: "Failure" };
    case "call-refuse":
      return { ...{ statusId: 2, status: "Failure", detail: event.code }, isRefused: true };
    case "approval-answer": {
      const { verdict, by = "unknown" } = event.answer;
      return { ...{ statusId: 99, status: verdict, detail: `answered by ${by}` }, operation: "approval" };
    }
    default:
      return undefined;
  }
}

function callOf(event: JournalEvent): string {
  if ("callId" in event) return event.callId;
  return "id" in event ? event.id : "";
}

function activityId({ event, start }: SentEvent): number {
  const effects = effectsOf(start ?? event);
  const has = (...names: readonly string[]) => effects.some(({ capability }) => names.includes(capability));
  if (has("fs.delete")) return ACTIVITY.delete;
  if (has("fs.write")) return ACTIVITY.update;
  return has("fs.read", "net.fetch") && effects.length === 1 ? ACTIVITY.read : ACTIVITY.other;
}

function effectsOf(event: JournalEvent) {
  return event.type === "call-start" || event.type === "call-refuse" ? (event.effects ?? []) : [];
}

function resources(event: JournalEvent): object {
  const effects = effectsOf(event);
  if (effects.length === 0) return {};
  return { resources: effects.map(({ capability, target }) => ({ type: capability, name: target })) };
}

function decidedByOf({ event, start }: SentEvent): object | undefined {
  const { allowedBy, ruleAt } = start ?? {};
  if (allowedBy !== undefined)
    return { decided_by: allowedBy, ...(ruleAt === undefined ? {} : { rule_at: ruleAt }) };
  if (event.type !== "call-refuse" || event.deniedBy === undefined) return undefined;
  return { decided_by: event.deniedBy, ...(event.ruleAt === undefined ? {} : { rule_at: event.ruleAt }) };
}

/** By their names in `audit.format` and `--format`. */
export const SINK_FORMATS: Readonly<Record<string, SinkFormat>> = { jsonl, otlp, ocsf };
