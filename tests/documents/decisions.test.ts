import { expect, test } from "vitest";
import { parseCommand } from "../../packages/node/src/commands/parse-command.ts";
import { parsePolicy } from "../../packages/policy/src/files/parse-policy.ts";
import { testPolicy } from "../../packages/policy/src/files/test-policy.ts";
import { PAGES } from "./pages.ts";

const ROWS = [...(PAGES.get("README.md") ?? "").matchAll(/^\| `([^`]+)`([^|]*)\| (allow|ask|deny) /gm)];

test("the recommended policy decides as the table of the README says", async () => {
  const decisions = ROWS.map(([, , , decision]) => decision);
  expect(new Set(decisions)).toEqual(new Set(["allow", "ask", "deny"]));
  const tests = ROWS.map(([, bash, where, expected]) => {
    const sandboxed = where?.includes("in the sandbox") ?? false;
    return `  - ${JSON.stringify({ bash, sandboxed, expect: expected })}`;
  });
  const text = ["version: 1", "extends: [toolkeep:recommended]", "tests:", ...tests].join("\n");
  const file = parsePolicy(text, { file: "policy.yaml", variables: { workspace: ["/repo"] } });
  const { text: report } = await testPolicy(file, { parseCommand });
  expect(report).toContain(`${ROWS.length} passed, 0 failed`);
});
