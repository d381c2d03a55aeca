import { harmlessText } from "@toolkeep/core/internal";
import type { McpSource, ServerReport } from "../source/mcp-source.ts";

/**
 * The status of one server, for models. It contains only our own text: what a server writes about itself, or about why
 * it fails, could be addressed to the model. Users see that with `toolkeep servers`.
 */
export interface ServerStanding {
  readonly server: string;
  readonly state: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly nextAttempt?: string;
  readonly tools: number;
  readonly inReview?: readonly ReviewStanding[];
}

/** A tool that is not offered, and why. */
interface ReviewStanding {
  readonly tool: string;
  readonly why: string;
}

const MOST_IN_REVIEW = 50;
const LONGEST_NAME = 64;
const REFUSED = "It was not started, or access was denied, and it will not be retried. The user can see why.";

/** The status of every server, in the order they were added. */
export function gatewayStatus(source: Pick<McpSource, "servers">): readonly ServerStanding[] {
  return source.servers.map(standingOf);
}

/** The servers that are not fully available; empty if all are. */
export function troubles(source: Pick<McpSource, "servers">): readonly ServerStanding[] {
  return gatewayStatus(source).filter(({ state, inReview }) => state !== "ready" || inReview !== undefined);
}

/** One sentence about the servers whose tools are unavailable; `undefined` if all are available. */
export function missingServers(source: Pick<McpSource, "servers">): string | undefined {
  const absent = gatewayStatus(source).filter(({ state }) => state !== "ready");
  if (absent.length === 0) return undefined;
  return `Not available now: ${absent.map(({ server, state }) => `${server} (${STATES[state] ?? state})`).join(", ")}.`;
}

const STATES: Readonly<Record<string, string>> = {
  connecting: "it is still starting",
  waiting: "it failed and is being retried",
  awaiting_review: "the user has to accept it first: toolkeep servers",
  refused: "it was not started; the user can see why with toolkeep servers",
};

function standingOf({ entry, status, tools, inReview }: ServerReport): ServerStanding {
  return {
    server: entry.name,
    state: status.state,
    ...reasonOf(status),
    tools: tools.length,
    ...(inReview.length === 0 ? {} : { inReview: inReview.slice(0, MOST_IN_REVIEW).map(reviewStanding) }),
  };
}

function reasonOf(status: ServerReport["status"]): Pick<ServerStanding, "reason" | "nextAttempt"> {
  if (status.state === "awaiting_review") return { reason: status.reason };
  if (status.state === "refused") return { reason: REFUSED };
  const { nextAttemptAt } = status;
  return nextAttemptAt === undefined ? {} : { nextAttempt: new Date(nextAttemptAt).toISOString() };
}

function reviewStanding({ tool, why }: ServerReport["inReview"][number]): ReviewStanding {
  return { tool: harmlessText(tool).slice(0, LONGEST_NAME), why };
}
