import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { Verdicts } from "./verdicts.ts";

test("a narrowed authorizer still says what it omits and which paths it denies", () => {
  const rules = [{ permission: "fs.read", pattern: "/ws/a", action: "deny" as const }];
  const { authorizer } = new Verdicts().addedTo({ authorizer: compilePolicy({ rules }) });
  const call = policyCall({
    tool: "grep",
    effects: [{ capability: "fs.read", target: "/ws/**", partial: true }],
  });
  expect(authorizer.leavesOut?.(call, policyContext())).toEqual(["/ws/a"]);
  expect(authorizer.pathDenies?.(call, policyContext())?.at("/ws/a")?.read).toBeDefined();
});
