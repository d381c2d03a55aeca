import type { Principal } from "../contract/principal.ts";

const NOBODY: Principal = { role: "agent", workspace: "main" };

/**
 * A principal nobody can change any more; what is not said is as before. It has no prototype: what it
 * does not say of itself, nothing else says for it.
 */
export function principalOf(said: Partial<Principal> = {}, before: Principal = NOBODY): Principal {
  const merged: Principal = Object.assign(Object.create(null), before, said);
  if (merged.groups !== undefined) {
    Object.assign(merged, { groups: Object.freeze([...merged.groups]) });
  }
  return Object.freeze(merged);
}
