import type { Rule } from "@toolkeep/core";
import type { Config } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

/** Conditions that need a name, and what is to be done where nothing says who or what it is. */
const UNKNOWN: Readonly<Record<string, string>> = {
  environment: 'Set `environment` in the administrator\'s configuration, e.g. "production".',
  agent: "Remove the condition: only tokens say which client a person uses (`identity`).",
  tenant: "Set `identity.tenantClaim` in the administrator's configuration, or remove the condition.",
  role: "Remove the condition: this program knows no roles.",
};

/**
 * A condition about something that is never known here could never hold, and a deny with it would deny nothing.
 * @throws CommandError
 */
export function assertKnownFacts(
  rules: readonly Rule[],
  { environment, identity }: Pick<Config, "environment" | "identity">,
): void {
  const known = new Set([
    ...(environment === undefined ? [] : ["environment"]),
    ...(identity.issuer === undefined ? [] : ["agent"]),
    ...(identity.tenantClaim === undefined ? [] : ["tenant"]),
  ]);
  for (const { if: conditions = [], at } of rules)
    for (const condition of conditions) {
      const [, fact = ""] = /^(?:not )?([a-z-]+) /.exec(condition) ?? [];
      const hint = Object.hasOwn(UNKNOWN, fact) ? UNKNOWN[fact] : undefined;
      if (hint === undefined || known.has(fact)) continue;
      const place = at === undefined ? "" : `${at}: `;
      const message = `${place}The condition \`${condition}\` can never be decided here, because no ${fact} is known: no call can be decided.`;
      throw new CommandError(message, { hint });
    }
}
