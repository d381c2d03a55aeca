import type { PolicyDefinition } from "../contract/policy/decision.ts";
import { fingerprint } from "./approvers/fingerprint.ts";

const known = new WeakMap<object, string>();

/** The text of the policy that was named last, and its name: the sessions of a server mostly have the same one. */
let last: { readonly text: string; readonly name: Promise<string> } | undefined;

/**
 * Names a policy: with the same rules, lists, settings and watchdogs it is the same, in every process and every
 * workspace. `undefined` where there is none.
 */
export async function policyFingerprint(policies: readonly PolicyDefinition[]): Promise<string | undefined> {
  if (policies.length === 0) return undefined;
  const text = `[${policies.map(textOf).join(",")}]`;
  if (last?.text !== text) last = { text, name: fingerprint(text) };
  return last.name;
}

/** What a definition is made of. Its functions have names only; a workspace is not part of it. */
function textOf(definition: PolicyDefinition): string {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const { variables: _, watchdogs = [], stages, ...plain } = definition;
  const text = JSON.stringify({
    ...plain,
    watchdogs: watchdogs.map(({ name }) => name),
    stages: stages?.name,
  });
  known.set(definition, text);
  return text;
}
