import { expect, test } from "vitest";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { roleFlags } from "./role-flags.ts";

function evaluate(flags: Readonly<Record<string, boolean>>, tool: string, role = "guest") {
  const context = policyContext({ principal: { role, workspace: "main" } });
  return roleFlags(flags).evaluate(policyCall({ tool, effects: [] }), context);
}

test("[C82] the flag of tool and role counts, else the flag of the tool, else the tool is on", () => {
  expect(evaluate({ allow_bash_guest: false }, "bash")).toMatchObject({ action: "deny" });
  expect(evaluate({ allow_bash_guest: false }, "bash", "admin")).toEqual({ action: "allow" });
  expect(evaluate({ allow_bash: false, allow_bash_guest: true }, "bash")).toEqual({ action: "allow" });
  expect(evaluate({ allow_bash: true, allow_bash_guest: false }, "bash")).toMatchObject({ action: "deny" });
  expect(evaluate({ allow_bash: false }, "bash")).toMatchObject({ action: "deny" });
  expect(evaluate({}, "bash")).toEqual({ action: "allow" });
  expect(evaluate({}, "constructor")).toEqual({ action: "allow" });
});

test("[C82] the switch for running code turns `code_exec` off whatever its own flags say", () => {
  const flags = { ALLOW_CODE_EXECUTION: false, allow_code_exec: true, allow_code_exec_guest: true };
  expect(evaluate(flags, "code_exec")).toEqual({
    action: "deny",
    reason: "The flag ALLOW_CODE_EXECUTION is off, so guest may not use code_exec.",
  });
  expect(evaluate(flags, "bash")).toEqual({ action: "allow" });
  expect(evaluate({ ALLOW_CODE_EXECUTION: true }, "code_exec")).toEqual({ action: "allow" });
  expect(evaluate({ ALLOW_CODE_EXECUTION: true, allow_code_exec: false }, "code_exec")).toMatchObject({
    reason: expect.stringContaining("allow_code_exec"),
  });
});

test("a flag that is neither true nor false is refused", () => {
  const flags = { allow_bash: "no" } as unknown as Readonly<Record<string, boolean>>;
  expect(() => roleFlags(flags)).toThrow(/must be true or false/);
});
