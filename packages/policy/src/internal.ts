/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { addRule } from "./add-rule.ts";
export { policyJsonSchema } from "./policy-json-schema.ts";
export type { EffectMap } from "./test-call.ts";
export { readYaml } from "./yaml-text.ts";
