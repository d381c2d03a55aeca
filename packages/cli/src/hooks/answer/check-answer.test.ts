import { expect, test } from "vitest";
import { HOOK_CLIENTS } from "../../clients/hook-call.ts";
import { isAnswer } from "./check-answer.ts";

const passed = (answer: unknown) => ({ stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 });
const decided = (permissionDecision: string) =>
  passed({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } });

test.each(HOOK_CLIENTS)("a blocking answer of %s has a reason and nothing else", (client) => {
  expect(isAnswer({ stdout: "", stderr: "why\n", exitCode: 2 }, client)).toBe(true);
  expect(isAnswer({ stdout: "", stderr: "", exitCode: 2 }, client)).toBe(false);
  expect(isAnswer({ stdout: "{}\n", stderr: "why\n", exitCode: 2 }, client)).toBe(false);
});

test.each(HOOK_CLIENTS)("a broken answer of %s is none", (client) => {
  const broken = [
    ...[undefined, null, 1, "allow", [], {}],
    ...["", "{", "[]", "null", '"allow"', '{"a":1}{'].map((stdout) => ({ stdout, stderr: "", exitCode: 0 })),
    { stdout: "{}", stderr: "", exitCode: 1 },
    { stdout: "{}", stderr: "", exitCode: "0" },
    { stdout: "{}", stderr: 1, exitCode: 0 },
    { stdout: "{}", exitCode: 0 },
  ];
  for (const one of broken) expect(isAnswer(one, client)).toBe(false);
});

test("an answer to Codex has the fields that it knows, a reason for a denial, and a command for an `allow`", () => {
  const said = (fields: object) => passed({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
  const denied = { permissionDecision: "deny", permissionDecisionReason: "no" };
  const replaced = { permissionDecision: "allow", updatedInput: { command: "ls" } };
  const asked = (decision: unknown) =>
    passed({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
  for (const answer of [passed({}), said(denied), said(replaced), asked({ behavior: "deny", message: "no" })])
    expect([answer, isAnswer(answer, "codex")]).toEqual([answer, true]);
  for (const answer of [
    ...[
      { ...denied, permissionDecisionReason: " " },
      { permissionDecision: "deny" },
      { ...denied, other: 1 },
    ],
    ...[
      { permissionDecision: "allow" },
      { ...replaced, updatedInput: {} },
      { updatedInput: { command: "ls" } },
    ],
    ...[{ ...replaced, permissionDecision: "ask" }, { permissionDecision: "ask" }, {}],
  ].map(said))
    expect([answer, isAnswer(answer, "codex")]).toEqual([answer, false]);
  for (const answer of [
    ...[
      passed({ decision: "block", reason: "no" }),
      passed({ continue: false }),
      passed({ suppressOutput: true }),
    ],
    ...[asked({ behavior: "allow" }), asked({ behavior: "deny" }), passed({ hookSpecificOutput: 5 })],
    passed({ systemMessage: "x", hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } }),
    passed({ hookSpecificOutput: { hookEventName: "PostToolUse", ...denied } }),
  ])
    expect([answer, isAnswer(answer, "codex")]).toEqual([answer, false]);
});

test("a decision is one that the client knows: it lets the call pass for any other", () => {
  for (const action of ["allow", "ask", "deny"]) {
    expect(isAnswer(decided(action), "claude-code")).toBe(true);
    expect(isAnswer(passed({ permission: action }), "cursor")).toBe(true);
    expect(isAnswer(passed({ decision: action }), "gemini-cli")).toBe(true);
  }
  expect(isAnswer(passed({}), "claude-code")).toBe(true);
  for (const action of ["", "Deny", "block", "none", 1, null]) {
    expect(isAnswer(decided(action as string), "claude-code")).toBe(false);
    expect(isAnswer(passed({ permission: action }), "cursor")).toBe(false);
    expect(isAnswer(passed({ decision: action }), "gemini-cli")).toBe(false);
  }
  const request = (decision: unknown) =>
    passed({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
  expect(isAnswer(request({ behavior: "deny", message: "no" }), "claude-code")).toBe(true);
  expect(isAnswer(request({ behavior: "refuse" }), "claude-code")).toBe(false);
  expect(isAnswer(request("deny"), "claude-code")).toBe(false);
  expect(isAnswer(passed({ hookSpecificOutput: "deny" }), "claude-code")).toBe(false);
  expect(isAnswer(passed({ hookSpecificOutput: { permissionDecision: "deny" } }), "claude-code")).toBe(false);
});
