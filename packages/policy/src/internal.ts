/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { addRule } from "./files/add-rule.ts";
export { formatDiagnostic } from "./files/policy-file.ts";
export type { EffectMap } from "./files/test-call.ts";
export { mismatchText } from "./files/test-policy.ts";
export { readYaml } from "./files/yaml-text.ts";
