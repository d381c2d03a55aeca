/**
 * What only the packages of Toolkeep itself use. Not public: names may change or go in any release.
 */
export { closestName } from "./contract/diagnostic.ts";
export { type EntryPattern, linePattern } from "./policy/grammar/entry-pattern.ts";
export {
  type EntryMeaning,
  entryAt,
  meaningOf,
  type PermissionEntry,
} from "./policy/grammar/permission-entry.ts";
export { createSessionWithPorts } from "./session/on-demand.ts";
export type { NewSteps, SessionPorts } from "./session/options.ts";
export { isAuthorizer, policyDefinition } from "./session/policy-definition.ts";
export { assertKnownKeys, unknownKey } from "./contract/unknown-keys.ts";
export { writtenRuleError } from "./policy/grammar/rule-pattern.ts";
