import { capabilityNamed, isDestruction } from "@toolkeep/catalog";
import type { CommandMeaning, Effect } from "../../contract/call/effect.ts";
import type { Objection, PolicyContext, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { objects, PASSES } from "./verdict.ts";

/** Whether a rule of the user allows exactly the destruction that a command is about. */
export type IsNamed = (call: PolicyCall, effect: CanonicalEffect, context: PolicyContext) => boolean;

/**
 * Objects to commands that destroy what cannot be brought back: databases, resources of clusters and clouds, infrastructure.
 * A rule passes it only if it names what is destroyed: one that allows the whole program was not written for that.
 */
export function destruction(objection: Objection = "ask", isNamed: IsNamed = () => false): Watchdog {
  return Object.freeze({
    name: "destruction",
    evaluate(call, context) {
      for (const effect of call.effects) {
        const says = destroyedBy(effect);
        if (says !== undefined && !isNamed(call, effect, context)) return objects(objection, says);
      }
      return PASSES;
    },
  } satisfies Watchdog);
}

/** What a command destroys, in a sentence. */
export function destroyedBy({ meaning }: Effect): string | undefined {
  const found = meaning?.does.find(isDestruction);
  return found === undefined ? undefined : capabilityNamed(found)?.says;
}

/** Whether rules name all that a command destroys, or one of them the command itself. */
export function nameDestruction(rules: readonly NamingRule[], effect: CanonicalEffect): boolean {
  const { does } = effect.meaning as CommandMeaning;
  const isAllNamed = does
    .filter(isDestruction)
    .every((destroyed) => rules.some(({ permission }) => permission === destroyed));
  return isAllNamed || rules.some((rule) => namesCommand(rule, effect));
}

interface NamingRule {
  readonly permission: string;
  readonly pattern?: string | undefined;
}

/** Whether a pattern has the words of the subcommand before anything is left open. */
function namesCommand({ pattern = "*" }: NamingRule, { target, meaning }: CanonicalEffect): boolean {
  const { words } = meaning as CommandMeaning;
  if (pattern === target) return true;
  const written = pattern.slice(0, Math.max(pattern.search(/[*?[]/), 0)).split(/[\s{},]+/);
  return words.length > 0 && words.every((word) => written.includes(word));
}
