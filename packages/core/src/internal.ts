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
export { writtenRuleError } from "./policy/grammar/rule-pattern.ts";
