import { visible } from "@toolkeep/core/internal";
import { localTime } from "../../terminal/local-time.ts";
import { type StyledLine, wrappedLines } from "../../terminal/styled-lines.ts";
import { isAsked } from "../records/call-filter.ts";
import type { LoggedCall } from "../records/logged-call.ts";
import { OUTCOMES, STYLES } from "./outcome-words.ts";

const MOST_EFFECTS = 5;

/** A call for people: its effects, then who or what decided and the outcome. @param short Shortens the session's id. */
export function callLines(call: LoggedCall, short: (sessionId: string) => string): readonly StyledLine[] {
  const where = `  (${visible(short(call.sessionId))})`;
  const { reason, decision } = call;
  const isStopped = decision === "denied" || decision === "refused";
  if (reason === undefined || !(isStopped || isAsked(call))) return linesOf(call, where, []);
  return linesOf(call, where, [
    `  ${isAsked(call) ? "asked because" : "because"}: ${oneLine(visible(reason))}`,
  ]);
}

/** What rules on trial would have done. */
function shadowLines({ shadow }: LoggedCall): readonly string[] {
  if (shadow === undefined) return [];
  return [`  on trial: would ${oneLine(visible(shadow.action))}: ${oneLine(visible(shadow.reason))}`];
}

/** The same for the page of one session, with the reason. */
export function callLinesWithReason(call: LoggedCall): readonly StyledLine[] {
  const { reason } = call;
  return linesOf(call, "", reason === undefined ? [] : [`  because: ${oneLine(visible(reason))}`]);
}

function linesOf(call: LoggedCall, where: string, why: readonly string[]): readonly StyledLine[] {
  return [
    ...wrappedLines([`${localTime(call.at)}  ${whatOf(call)}`], STYLES[call.decision]),
    ...wrappedLines([`  ${decisionParts(call).map(oneLine).join("; ")}${where}`, ...why], "dim"),
    ...wrappedLines(shadowLines(call)),
    ...wrappedLines(crashLines(call)),
  ];
}

/** The same as JSON. */
export function callRecord({ at, changedAt: _changedAt, ...call }: LoggedCall) {
  return { at: new Date(at).toISOString(), ...call };
}

function whatOf({ tool, effects }: LoggedCall): string {
  const rest = effects.length > MOST_EFFECTS ? [`and ${effects.length - MOST_EFFECTS} more`] : [];
  const what = [...effects.slice(0, MOST_EFFECTS), ...rest].map(oneLine).join(", ");
  return `${oneLine(tool)}${what === "" ? "" : `: ${what}`}`;
}

const MOST_CRASH_LINES = 12;

/** What a tool threw, with the beginning of its stack. */
function crashLines({ crash }: LoggedCall): readonly string[] {
  const lines = crash?.split("\n") ?? [];
  return lines.slice(0, MOST_CRASH_LINES).map((line) => `  | ${oneLine(line)}`);
}

function decisionParts({ decision, by, ruleAt, person, outcome }: LoggedCall): readonly string[] {
  const asked = by === undefined ? [] : [`asked by ${by}`];
  const ofClient = OUTCOMES[outcome ?? ""];
  if (decision === "delegated") return ["left to the client", ofClient ?? "outcome unknown", ...asked];
  if (decision === "noticed") return ["noticed by the decider"];
  if (decision === "waiting") return ["waiting for an approver", ...asked];
  return [
    by === undefined ? decision : `${decision} by ${by}${placeOf(ruleAt)}`,
    ...(person === undefined ? [] : [`answered by ${person}`]),
    ...(ofClient === undefined ? [] : ["left to the client", ofClient]),
    ...(ofClient !== undefined || outcome === undefined ? [] : [outcome]),
  ];
}

/** The file and the line of a rule; the recommended rules have none. */
function placeOf(ruleAt: string | undefined): string {
  return ruleAt === undefined || ruleAt === "toolkeep:recommended" ? "" : ` (${visible(ruleAt)})`;
}

/** Text of a model or a server cannot begin a new line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, "\u23ce");
}
