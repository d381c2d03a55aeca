import { capabilityNamed, isDestruction } from "@toolkeep/catalog";
import type { Effect } from "../../contract/call/effect.ts";
import type { Objection, PolicyContext, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { watchdog } from "./verdict.ts";

/** Whether a rule of the user allows exactly the destruction that a command is about. */
export type IsNamed = (call: PolicyCall, effect: CanonicalEffect, context: PolicyContext) => boolean;

/**
 * Objects to commands and to tools of servers that destroy what cannot be brought back: databases, resources of clusters and clouds, infrastructure.
 * A rule passes it only if it names what is destroyed: one that allows the whole program was not written for that.
 */
export function destruction(objection: Objection = "ask", isNamed: IsNamed = () => false): Watchdog {
  return watchdog("destruction", objection, (call, context) => {
    for (const effect of call.effects) {
      const says = destroyedBy(effect, call);
      if (says !== undefined && !isNamed(call, effect, context)) return says;
    }
    return undefined;
  });
}

/** What an effect of a call destroys, in a sentence. */
export function destroyedBy(effect: Effect, { found }: PolicyCall): string | undefined {
  // Of a command the parser says what it does, of a server's tool its map.
  const isMapped = found.tool.remote !== undefined && effect.implied !== true;
  const destroyed = isMapped || effect.meaning !== undefined ? doneBy(effect).find(isDestruction) : undefined;
  return destroyed === undefined ? undefined : capabilityNamed(destroyed)?.says;
}

function doneBy({ meaning, capability }: Effect): readonly string[] {
  return meaning?.does ?? [capability];
}

/** Whether rules name all that an effect destroys, or one of them the command or the tool itself. */
export function nameDestruction(
  rules: readonly NamingRule[],
  effect: CanonicalEffect,
  { found: { tool } }: PolicyCall,
): boolean {
  const isAllNamed = doneBy(effect)
    .filter(isDestruction)
    .every((destroyed) => rules.some(({ permission }) => permission === destroyed));
  const named = tool.remote && `mcp:${tool.remote.serverId}:${tool.remote.tool}`;
  return isAllNamed || rules.some((rule) => rule.permission === named || namesCommand(rule, effect));
}

interface NamingRule {
  readonly permission: string;
  readonly pattern?: string | undefined;
}

/** Whether a pattern has the words of the subcommand before anything is left open. */
function namesCommand({ pattern = "*" }: NamingRule, { target, meaning }: CanonicalEffect): boolean {
  if (meaning === undefined || pattern === target) return meaning !== undefined;
  const written = pattern.slice(0, Math.max(pattern.search(/[*?[]/), 0)).split(/[\s{},]+/);
  return meaning.words.length > 0 && meaning.words.every((word) => written.includes(word));
}
