/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { policyJsonSchema } from "./policy-json-schema.ts";
export { readYaml } from "./yaml-text.ts";
