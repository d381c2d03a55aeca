import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { Verdicts } from "./verdicts.ts";

test("an authorizer that is narrowed still says what it leaves out and what it denies on paths", () => {
  const rules = [{ permission: "fs.read", pattern: "/ws/a", action: "deny" as const }];
  const { policy: authorizer } = new Verdicts().beside({ policy: compilePolicy({ rules }) });
  const call = policyCall({
    tool: "grep",
    effects: [{ capability: "fs.read", target: "/ws/**", partial: true }],
  });
  expect(authorizer.leavesOut?.(call, policyContext())).toEqual(["/ws/a"]);
  expect(authorizer.pathDenies?.(call, policyContext())?.at("/ws/a")?.read).toBeDefined();
});
