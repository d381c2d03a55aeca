import { join } from "node:path";
import type { Decision, Effect } from "@toolkeep/core";
import { defined, joinCommand } from "@toolkeep/core/internal";
import type { Command, ContainedOutcome, Containment, Grant } from "@toolkeep/core/ports";
import { directories } from "../../environment/directories.ts";
import { RECOMMENDED } from "./containable.ts";

/** How commands of a workspace are contained. */
export interface ContainOptions {
  /** `all`: also those that the policy allows, and those that were approved. Default: `unknown`. */
  readonly commands?: "unknown" | "all";
  /** What commands leave running ends with the last of these processes. Default: with the workspace. */
  readonly keptFor?: readonly number[];
  /** Where layers are kept, and what is needed to undo them. Default: a folder in the user's state directory. */
  readonly folder?: string;
  /** What contained commands may reach of the network. Default: nothing. */
  readonly hosts?: Containment["hosts"];
  /** Whether they change the project at once, as servers must that follow its files. Default: `false`. */
  readonly through?: boolean;
  /** The session that they belong to: to erase it erases what is kept of them. Default: that of the call. */
  readonly sessionId?: string;
  /** Ports of the user's loopback that they may reach. Default: none. */
  readonly ports?: readonly number[];
  /** Called after each contained command. */
  readonly onOutcome?: (outcome: ContainedOutcome, callId: string) => void;
}

export function containFolder(): string {
  return join(directories().state, "contain");
}

export function containmentOf(
  { evaluate, callId }: Pick<Grant, "evaluate" | "callId">,
  command: Command,
  options: ContainOptions,
  project: string,
): Containment {
  const { folder = containFolder(), hosts = [], ports = [], through = false, onOutcome } = options;
  return {
    ...{ folder, project, through, hosts, ports, callId },
    ...defined({ sessionId: options.sessionId, keptFor: options.keptFor }),
    line: "argv" in command ? joinCommand(command.argv) : command.line,
    async evaluate(effects) {
      const decisions = await evaluate?.(effects);
      return effects.map((effect, at) => objection(effect, decisions?.[at]));
    },
    onOutcome: (outcome) => onOutcome?.(outcome, callId),
  };
}

/** What tools write while they install or resolve, and people do not edit. */
const LOCKS = /(?:^|[/.])(?:lock|lockb|go\.sum|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$/;

/**
 * Why a change is held. The recommended rules ask about deletions, which can be undone here; whatever a rule of the
 * user asks is held.
 */
function objection({ capability, target }: Effect, decision: Decision | undefined): string | undefined {
  if (decision === undefined) return "no policy decides about it";
  if (decision.action === "allow" || (decision.action === "ask" && decision.layer === "default"))
    return undefined;
  const isRecommended = decision.action === "ask" && decision.at === RECOMMENDED;
  if (isRecommended && (capability === "fs.delete" || LOCKS.test(target))) return undefined;
  return decision.because ?? decision.reason ?? decision.matchedBy;
}
