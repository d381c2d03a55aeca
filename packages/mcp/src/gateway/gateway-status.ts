import { harmlessText } from "@toolkeep/core/internal";
import type { McpSource, ServerReport } from "../source/mcp-source.ts";

/**
 * How one server stands, for models. It holds our words alone: what a server writes about itself, or about why it
 * fails, could be meant for the model. People see that with `toolkeep servers`.
 */
export interface ServerStanding {
  readonly server: string;
  readonly state: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly nextAttempt?: string;
  readonly tools: number;
  readonly held?: readonly ReviewStanding[];
}

/** A tool that is not offered, and why. */
interface ReviewStanding {
  readonly tool: string;
  readonly why: string;
}

const MOST_HELD = 50;
const LONGEST_NAME = 64;
const REFUSED = "It is not started, or not let in, and will not be tried again. A person sees why.";

/** How every server stands, in the order they were added. */
export function gatewayStatus(source: Pick<McpSource, "servers">): readonly ServerStanding[] {
  return source.servers.map(standingOf);
}

/** What a model should know because something is missing; empty when all is well. */
export function troubles(source: Pick<McpSource, "servers">): readonly ServerStanding[] {
  return gatewayStatus(source).filter(({ state, held }) => state !== "ready" || held !== undefined);
}

/** The servers whose tools cannot be there, in a sentence; nothing when all are. */
export function missingServers(source: Pick<McpSource, "servers">): string | undefined {
  const absent = gatewayStatus(source).filter(({ state }) => state !== "ready");
  if (absent.length === 0) return undefined;
  return `Not there now: ${absent.map(({ server, state }) => `${server} (${STATES[state] ?? state})`).join(", ")}.`;
}

const STATES: Readonly<Record<string, string>> = {
  connecting: "it is still starting",
  waiting: "it failed and is tried again",
  held: "a person has to accept it first: toolkeep servers",
  refused: "it is not started; a person sees why with toolkeep servers",
};

function standingOf({ entry, status, tools, held }: ServerReport): ServerStanding {
  return {
    server: entry.name,
    state: status.state,
    ...reasonOf(status),
    tools: tools.length,
    ...(held.length === 0 ? {} : { held: held.slice(0, MOST_HELD).map(heldOf) }),
  };
}

function reasonOf(status: ServerReport["status"]): Pick<ServerStanding, "reason" | "nextAttempt"> {
  if (status.state === "held") return { reason: status.reason };
  if (status.state === "refused") return { reason: REFUSED };
  const { nextAttemptAt } = status;
  return nextAttemptAt === undefined ? {} : { nextAttempt: new Date(nextAttemptAt).toISOString() };
}

function heldOf({ tool, why }: ServerReport["held"][number]): ReviewStanding {
  return { tool: harmlessText(tool).slice(0, LONGEST_NAME), why };
}
