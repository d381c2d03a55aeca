import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as core from "@toolkeep/core";
import * as policy from "@toolkeep/core/policy";
import * as testing from "@toolkeep/core/testing";
import { expect, test } from "vitest";

/** A red pin is not forbidden; it is deliberate: change it together with the documents and a changeset. */

test("the values that @toolkeep/core exports", () => {
  expect(Object.keys(core).toSorted()).toEqual([
    "CHAIN_START",
    "CONTRACT_VERSION",
    "CORE_VERSION",
    "DEFAULT_BUDGET_TOKENS",
    "DEFAULT_SETTINGS",
    "Divergence",
    "HEADLESS_DENIAL",
    "HEADLESS_QUESTION",
    "JsonText",
    "NO_EXTENT",
    "OutcomeUnknown",
    "Registry",
    "ToolFailure",
    "ToolkeepError",
    "TurnParked",
    "acpUpdates",
    "batchError",
    "callStatus",
    "chainAfter",
    "commandEffects",
    "createBudgets",
    "createMetrics",
    "createRedactor",
    "createRegistry",
    "createSession",
    "decodeEvent",
    "defineTool",
    "describeContract",
    "effect",
    "encodeEvent",
    "envRead",
    "executeTool",
    "expandAllowed",
    "extentAfter",
    "fromContent",
    "fromDict",
    "fromEnvelope",
    "fromToolResult",
    "fsDelete",
    "fsRead",
    "fsWrite",
    "globalRegistry",
    "harmlessText",
    "headlessApprover",
    "isFolderBelow",
    "isTerminalResult",
    "isTool",
    "isUsablePattern",
    "joinCommand",
    "linesOf",
    "linkBatch",
    "matchesAllowList",
    "matchesQuery",
    "memoryJournal",
    "memoryPending",
    "memorySidecar",
    "modeOfName",
    "modelContent",
    "modelText",
    "netFetch",
    "originName",
    "output",
    "patternSize",
    "readToolCall",
    "recordedSteps",
    "redactStream",
    "reopenSession",
    "replayJournal",
    "shellRun",
    "splitCommand",
    "terminalText",
    "text",
    "toAiSdkDefinition",
    "toAiSdkResult",
    "toAnthropicDefinition",
    "toAnthropicResult",
    "toAudit",
    "toContent",
    "toDict",
    "toEnvelope",
    "toGeminiDefinition",
    "toInstructions",
    "toMcpDefinition",
    "toMcpResult",
    "toOpenAiDefinition",
    "toOpenAiResponsesDefinition",
    "toOpenAiResponsesResult",
    "toOpenAiResult",
    "toToolResult",
    "toTraceSpan",
    "toolCallFromAiSdk",
    "toolCallFromAnthropic",
    "toolCallFromOpenAi",
    "toolCallFromOpenAiResponses",
    "treatmentOf",
    "verifyChain",
    "visibleTools",
    "webDigest",
    "withRegistration",
    "writeEvent",
  ]);
});

test("the values that @toolkeep/core/policy exports", () => {
  expect(Object.keys(policy).toSorted()).toEqual([
    "POLICY_KEYWORDS",
    "RECOMMENDED_POLICY",
    "approvalBroker",
    "approverFromCallback",
    "builtInWatchdogs",
    "compilePolicy",
    "conclusionOf",
    "dangerousActions",
    "definitionDrift",
    "diffPolicies",
    "differencesText",
    "explainText",
    "groupedApprover",
    "isProtectedName",
    "isSecretFile",
    "observedCalls",
    "observedText",
    "onlyReads",
    "onlyTools",
    "pinDefinitions",
    "policyCall",
    "policyContext",
    "previewRules",
    "recordedCalls",
    "roleFlags",
    "ruleError",
    "ruleText",
    "signApproval",
    "suggestRules",
    "visible",
  ]);
});

test("the values that @toolkeep/core/testing exports", () => {
  expect(Object.keys(testing).toSorted()).toEqual([
    "collectEvents",
    "fakeIo",
    "playCassette",
    "recordCassette",
    "runTwice",
    "scriptedApprover",
    "stubTool",
    "toolConformance",
  ]);
});

test("the codes of failures", () => {
  expect(unionIn("contract/failure.ts", "FailureCode")).toEqual([
    "budget_exceeded",
    "cancelled",
    "conflict",
    "denied",
    "duplicate_call",
    "effects_failed",
    "interrupted",
    "invalid_arguments",
    "invalid_call",
    "not_found",
    "out_of_scope",
    "outcome_unknown",
    "skipped",
    "timed_out",
    "too_large",
    "tool_crashed",
    "tool_failed",
    "tools_disabled",
    "unavailable",
  ]);
});

test("the codes of errors", () => {
  expect(unionIn("contract/error.ts", "ErrorCode")).toEqual([
    "answer_refused",
    "invalid_option",
    "invalid_requirement",
    "invalid_rule",
    "invalid_tool",
    "journal_broken",
    "session_closed",
    "session_in_use",
    "turn_running",
    "turn_unknown",
  ]);
});

test("the names of events", () => {
  const source = readFileSync(join(import.meta.dirname, "../packages/core/src/contract/event.ts"), "utf8");
  const names = Array.from(source.matchAll(/readonly type: "([a-z-]+)"/g), ([, name]) => name);
  expect(names.toSorted()).toEqual([
    "access-refuse",
    "approval-answer",
    "approval-forget",
    "approval-remember",
    "approval-request",
    "call-end",
    "call-late",
    "call-progress",
    "call-refuse",
    "call-start",
    "call-update",
    "events-drop",
    "observer-fail",
    "question-answer",
    "question-request",
    "rule-add",
    "script-change",
    "session-close",
    "session-open",
    "session-taint",
    "state-write",
    "step-end",
    "step-intent",
    "step-withdraw",
    "tool-crash",
    "turn-end",
    "turn-park",
    "turn-start",
  ]);
});

test("every code and event is explained in the reference", () => {
  const pages = ["errors", "events"].map((page) =>
    readFileSync(join(import.meta.dirname, `../docs/reference/${page}.md`), "utf8"),
  );
  const codes = [
    ...unionIn("contract/failure.ts", "FailureCode"),
    ...unionIn("contract/error.ts", "ErrorCode"),
  ];
  for (const code of codes) expect(pages[0]).toContain(`\`${code}\``);
  const source = readFileSync(join(import.meta.dirname, "../packages/core/src/contract/event.ts"), "utf8");
  for (const [, name] of source.matchAll(/readonly type: "([a-z-]+)"/g))
    expect(pages[1]).toContain(`\`${name}\``);
});

/** The members of a union of literals, read from its source: types leave no trace at run time. */
function unionIn(file: string, name: string): string[] {
  const source = readFileSync(join(import.meta.dirname, "../packages/core/src", file), "utf8");
  const body = new RegExp(`export type ${name} =([^;]+);`).exec(source)?.[1] ?? "";
  return Array.from(body.matchAll(/"([a-z_]+)"/g), ([, code]) => code as string).toSorted();
}
