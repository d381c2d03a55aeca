import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A red pin is not forbidden; it is deliberate: change it together with the documents and a changeset. */

/** Types and values: both are promises. */
test.each([
  [
    "index",
    [
      "Action",
      "ApprovalAnswer",
      "ApprovalRequest",
      "Approver",
      "Content",
      "Decision",
      "Diagnostic",
      "Effect",
      "ErrorCode",
      "Failure",
      "FailureCode",
      "Gate",
      "GivenAnswer",
      "Io",
      "JsonSchema",
      "Observer",
      "ParentContext",
      "PersonRequest",
      "PolicyDefinition",
      "Principal",
      "Question",
      "QuestionAnswers",
      "Redactor",
      "Registry",
      "RequirementSet",
      "Rule",
      "Schema",
      "Session",
      "SessionEvent",
      "SessionOptions",
      "SessionStore",
      "Tool",
      "ToolCall",
      "ToolContext",
      "ToolDiagnostic",
      "ToolFailure",
      "ToolOutput",
      "ToolResult",
      "ToolSpec",
      "ToolkeepError",
      "TurnOutcome",
      "WaitingRequest",
      "createRedactor",
      "createRegistry",
      "createSession",
      "defineTool",
      "effects",
      "executeTool",
      "output",
      "reopenSession",
      "text",
    ],
  ],
  [
    "policy",
    [
      "ApprovalBinding",
      "Authorizer",
      "Ceiling",
      "Condition",
      "DecisionLayer",
      "DeniedAccess",
      "DriftOptions",
      "EffectBasis",
      "Explained",
      "ExplainedStep",
      "Explanation",
      "GroupAnswerer",
      "GroupedApproval",
      "Objection",
      "ObservedCalls",
      "ParseRuleOptions",
      "ParsedRule",
      "PathDenies",
      "Policy",
      "PolicyCall",
      "PolicyCallInput",
      "PolicyContext",
      "PolicyDifference",
      "PolicyMode",
      "PolicyOptions",
      "PolicyTool",
      "ProjectApprovals",
      "RECOMMENDED_POLICY",
      "Recollection",
      "RecordedCall",
      "RememberedApproval",
      "RepeatedCall",
      "RulePreview",
      "RuleScope",
      "SignedApproval",
      "StageMachine",
      "StageVerdict",
      "ToolLists",
      "Variables",
      "Watchdog",
      "WatchdogSettings",
      "WatchdogVerdict",
      "approvalBroker",
      "approverFromCallback",
      "builtInWatchdogs",
      "compilePolicy",
      "dangerousActions",
      "definitionDrift",
      "diffPolicies",
      "differencesText",
      "explainText",
      "groupedApprover",
      "headlessApprover",
      "observedCalls",
      "observedText",
      "onlyTools",
      "parseRule",
      "pinDefinitions",
      "policyCall",
      "policyContext",
      "previewRules",
      "recordedCalls",
      "roleFlags",
      "ruleText",
      "signApproval",
      "suggestRules",
    ],
  ],
  [
    "formats",
    [
      "AcpUpdate",
      "ContentMessage",
      "DefinitionOptions",
      "DescribedTool",
      "Envelope",
      "InstructionOptions",
      "Metrics",
      "ResultDict",
      "SpanOptions",
      "SuccessResult",
      "ToolMetrics",
      "TraceSpan",
      "acpUpdates",
      "aiSdk",
      "anthropic",
      "callStatus",
      "contentMessage",
      "createMetrics",
      "describeContract",
      "envelope",
      "expandAllowed",
      "gemini",
      "isTerminalResult",
      "matchesAllowList",
      "mcp",
      "modelContent",
      "modelText",
      "openai",
      "openaiResponses",
      "readToolCall",
      "resultDict",
      "successResult",
      "toInstructions",
      "toTraceSpan",
      "visibleTools",
    ],
  ],
  [
    "testing",
    [
      "Cassette",
      "CassetteCall",
      "ConformanceOptions",
      "FakeIo",
      "FakeWorld",
      "Script",
      "ScriptedApprover",
      "StubTool",
      "TwiceRun",
      "collectEvents",
      "fakeIo",
      "playCassette",
      "recordCassette",
      "runTwice",
      "scriptedApprover",
      "stubTool",
      "toolConformance",
    ],
  ],
])("the names that the entry point %s of core exports", (entry, names) => {
  expect(namesOf(entry)).toEqual(names);
});

test("the main entry point of core is small", () => {
  expect(namesOf("index").length).toBeLessThanOrEqual(56);
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

/** The names that an entry point exports, read from its source: types leave no trace at run time. */
function namesOf(entry: string): string[] {
  const source = readFileSync(join(import.meta.dirname, `../packages/core/src/${entry}.ts`), "utf8");
  return Array.from(source.matchAll(/export (?:type )?\{([^}]*)\}/g), ([, names = ""]) => names.split(","))
    .flat()
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "")
    .toSorted();
}

/** The members of a union of literals, read from its source: types leave no trace at run time. */
function unionIn(file: string, name: string): string[] {
  const source = readFileSync(join(import.meta.dirname, "../packages/core/src", file), "utf8");
  const body = new RegExp(`export type ${name} =([^;]+);`).exec(source)?.[1] ?? "";
  return Array.from(body.matchAll(/"([a-z_]+)"/g), ([, code]) => code as string).toSorted();
}
