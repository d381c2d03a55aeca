import { expect, test } from "vitest";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { roleFlags } from "./role-flags.ts";

function judge(flags: Readonly<Record<string, boolean>>, tool: string, role = "guest") {
  const circumstances = circumstancesOf({ principal: { role, workspace: "main" } });
  return roleFlags(flags).judge(judgedCall({ tool, effects: [] }), circumstances);
}

test("[C82] the flag of tool and role counts, else the flag of the tool, else the tool is on", () => {
  expect(judge({ allow_bash_guest: false }, "bash")).toMatchObject({ action: "deny" });
  expect(judge({ allow_bash_guest: false }, "bash", "admin")).toEqual({ action: "allow" });
  expect(judge({ allow_bash: false, allow_bash_guest: true }, "bash")).toEqual({ action: "allow" });
  expect(judge({ allow_bash: true, allow_bash_guest: false }, "bash")).toMatchObject({ action: "deny" });
  expect(judge({ allow_bash: false }, "bash")).toMatchObject({ action: "deny" });
  expect(judge({}, "bash")).toEqual({ action: "allow" });
  expect(judge({}, "constructor")).toEqual({ action: "allow" });
});

test("[C82] the switch for running code turns `code_exec` off whatever its own flags say", () => {
  const flags = { ALLOW_CODE_EXECUTION: false, allow_code_exec: true, allow_code_exec_guest: true };
  expect(judge(flags, "code_exec")).toEqual({
    action: "deny",
    reason: "The flag ALLOW_CODE_EXECUTION is off, so guest may not use code_exec.",
  });
  expect(judge(flags, "bash")).toEqual({ action: "allow" });
  expect(judge({ ALLOW_CODE_EXECUTION: true }, "code_exec")).toEqual({ action: "allow" });
  expect(judge({ ALLOW_CODE_EXECUTION: true, allow_code_exec: false }, "code_exec")).toMatchObject({
    reason: expect.stringContaining("allow_code_exec"),
  });
});

test("a flag that is neither true nor false is refused", () => {
  const flags = { allow_bash: "no" } as unknown as Readonly<Record<string, boolean>>;
  expect(() => roleFlags(flags)).toThrow(/must be true or false/);
});
