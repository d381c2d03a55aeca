export { checkPolicy } from "./files/check-policy.ts";
export { diffPolicyFiles, explainPolicy } from "./files/explain-policy.ts";
export { type ParsePolicyOptions, parsePolicy } from "./files/parse-policy.ts";
export { type PolicyFile, policyDefinition } from "./files/policy-file.ts";
export { readPolicyFile } from "./files/read-policy-file.ts";
export { type PolicyTestReport, testPolicy } from "./files/test-policy.ts";
export { importClaude } from "./imports/import-claude.ts";
export { importGemini } from "./imports/import-gemini.ts";
export type { ImportedRules } from "./imports/imported-rules.ts";
