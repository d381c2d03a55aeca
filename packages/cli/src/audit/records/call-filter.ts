import { usageError } from "../../terminal/command-error.ts";
import { sinceOf } from "../../terminal/since.ts";
import type { LoggedCall } from "./logged-call.ts";

/** Which calls of the log are shown. Empty lists match every call. */
export interface CallFilter {
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly tools: readonly RegExp[];
  readonly decisions: readonly Decision[];
  /** Only those that rules on trial would have decided differently. */
  readonly isShadowed: boolean;
}

/** `asked`: a person was asked, whatever the answer was. */
type Decision = LoggedCall["decision"] | "asked";

export interface FilterOptions {
  readonly since?: string | undefined;
  readonly tool?: readonly string[] | undefined;
  readonly decision?: readonly string[] | undefined;
  readonly shadow?: boolean | undefined;
}

/** @throws CommandError for a time or a decision that does not exist. */
export function filterOf({ since, tool = [], decision = [], shadow = false }: FilterOptions): CallFilter {
  return {
    since: since === undefined ? 0 : sinceOf(since),
    tools: tool.map(patternOf),
    decisions: decision.map(decisionOf),
    isShadowed: shadow,
  };
}

/** A call must match every part that is given, and one value of each. */
export function isMatching(call: LoggedCall, { since, tools, decisions, isShadowed }: CallFilter): boolean {
  return (
    call.at >= since &&
    (!isShadowed || call.shadow !== undefined) &&
    (tools.length === 0 || tools.some((tool) => tool.test(call.tool))) &&
    (decisions.length === 0 || decisions.some((decision) => isDecided(call, decision)))
  );
}

/** Whether a person was asked about a call. */
export function isAsked({ decision, by = "", person }: LoggedCall): boolean {
  return (
    decision === "waiting" || decision === "delegated" || person !== undefined || by.startsWith("approver:")
  );
}

function isDecided(call: LoggedCall, decision: Decision): boolean {
  return decision === "asked" ? isAsked(call) : call.decision === decision;
}

/** `*` stands for any text. */
function patternOf(name: string): RegExp {
  const parts = name.split(/\*+/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`, "su");
}

const DECISIONS: Readonly<Record<string, Decision>> = {
  allow: "allowed",
  allowed: "allowed",
  ask: "asked",
  asked: "asked",
  deny: "denied",
  denied: "denied",
  refused: "refused",
  waiting: "waiting",
  delegated: "delegated",
  noticed: "noticed",
};

function decisionOf(word: string): Decision {
  const decision = Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;
  if (decision !== undefined) return decision;
  throw usageError(
    `--decision ${JSON.stringify(word)} is not a decision.`,
    `Use ${[...new Set(Object.values(DECISIONS))].join(", ")}.`,
  );
}
