export { checkPolicy } from "./check-policy.ts";
export { diffPolicyFiles, explainPolicy } from "./explain-policy.ts";
export { importClaude } from "./imports/import-claude.ts";
export { importGemini } from "./imports/import-gemini.ts";
export type { ImportedRules } from "./imports/imported-rules.ts";
export { type ParsePolicyOptions, parsePolicy } from "./parse-policy.ts";
export { definitionOf, formatDiagnostic, type PolicyFile } from "./policy-file.ts";
export { readPolicyFile } from "./read-policy-file.ts";
export { type PolicyTestReport, testPolicy } from "./test-policy.ts";
