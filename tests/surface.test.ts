import { readFileSync } from "node:fs";
import { join } from "node:path";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";

/*
 * Exported names and types are pinned by the API reports in api/ (`npm run surface`). Pinned here is what a type
 * report does not show. A changed pin needs its document and a changeset.
 */

test("the codes of failures", () => {
  expect(unionIn("contract/call/result.ts", "FailureCode")).toEqual([
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
  expect(unionIn("contract/values/error.ts", "ErrorCode")).toEqual([
    "answer_refused",
    "invalid_option",
    "invalid_requirement",
    "invalid_rule",
    "invalid_tool",
    "journal_broken",
    "session_closed",
    "session_in_use",
    "session_lost",
    "turn_running",
    "turn_unknown",
  ]);
});

test("the names of events", () => {
  const source = readFileSync(
    join(import.meta.dirname, "../packages/core/src/contract/store/event.ts"),
    "utf8",
  );
  const names = Array.from(source.matchAll(/readonly type: "([a-z-]+)"/g), ([, name]) => name);
  expect(names.toSorted()).toEqual([
    "access-refuse",
    "approval-answer",
    "approval-forget",
    "approval-remember",
    "approval-request",
    "approval-sign",
    "call-end",
    "call-late",
    "call-progress",
    "call-refuse",
    "call-start",
    "call-update",
    "context-compact",
    "events-drop",
    "message-receive",
    "model-reply",
    "observer-fail",
    "output-mismatch",
    "payload-erase",
    "policy-change",
    "project-approval",
    "question-answer",
    "question-request",
    "rule-add",
    "run-end",
    "script-change",
    "session-close",
    "session-forget",
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
    ...unionIn("contract/call/result.ts", "FailureCode"),
    ...unionIn("contract/values/error.ts", "ErrorCode"),
  ];
  for (const code of codes) expect(pages[0]).toContain(`\`${code}\``);
  const source = readFileSync(
    join(import.meta.dirname, "../packages/core/src/contract/store/event.ts"),
    "utf8",
  );
  for (const [, name] of source.matchAll(/readonly type: "([a-z-]+)"/g))
    expect(pages[1]).toContain(`\`${name}\``);
});

test("[C45] the standard tools have the names and parameters that models have learned", () => {
  const standard = standardTools();
  expect(
    Object.fromEntries(standard.map(({ name, inputSchema }) => [name, parametersOf(inputSchema)])),
  ).toEqual({
    read: "path offset? limit? byte_offset? byte_limit?",
    write: "path content",
    edit: "path old_string new_string replace_all?",
    glob: "pattern path?",
    grep: "pattern path? glob? output_mode? -A? -B? -C? -i? multiline? head_limit?",
    bash: "command description? workdir? timeout?",
    todo: "todos",
    task: "description? prompt subagent_type? background?",
    question: "questions",
    web_search: "query max_results?",
    web_fetch: "url format?",
    skill: "name",
    tool_search: "query limit?",
  });
});

/** The members of a union of literals, read from its source: types leave no trace at run time. */
function unionIn(file: string, name: string): string[] {
  const source = readFileSync(join(import.meta.dirname, "../packages/core/src", file), "utf8");
  const body = new RegExp(`export type ${name} =([^;]+);`).exec(source)?.[1] ?? "";
  return Array.from(body.matchAll(/"([a-z_]+)"/g), ([, code]) => code as string).toSorted();
}

/** The names of parameters in order, optional ones with a question mark. */
function parametersOf(schema: unknown): string {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] };
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(" ");
}
