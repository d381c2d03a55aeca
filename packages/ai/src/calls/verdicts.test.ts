import { type Authorizer, compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { Verdicts } from "./verdicts.ts";

test("a narrowed authorizer still says what it omits and which paths it denies", () => {
  const rules = [{ permission: "fs.read", pattern: "/ws/a", action: "deny" as const }];
  const compiled = compilePolicy({ rules });
  const own: Authorizer = {
    decide: (call, context) => compiled.decide(call, context),
    leavesOut: (call, context) => compiled.leavesOut?.(call, context) ?? [],
    pathDenies: (call, context) => compiled.pathDenies?.(call, context),
  };
  const { policy: authorizer } = new Verdicts().addedTo({ policy: own });
  const call = policyCall({
    tool: "grep",
    effects: [{ capability: "fs.read", target: "/ws/**", partial: true }],
  });
  expect(authorizer.leavesOut?.(call, policyContext())).toEqual(["/ws/a"]);
  expect(authorizer.pathDenies?.(call, policyContext())?.at("/ws/a")?.read).toBeDefined();
});
