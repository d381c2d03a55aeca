import { circumstancesOf, compilePolicy, judgedCall } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { Verdicts } from "./verdicts.ts";

test("an authorizer that is narrowed still says what it leaves out and what it denies on paths", () => {
  const rules = [{ permission: "fs.read", pattern: "/ws/a", action: "deny" as const }];
  const { authorizer } = new Verdicts().beside({ authorizer: compilePolicy({ rules }) });
  const call = judgedCall({
    tool: "grep",
    effects: [{ capability: "fs.read", target: "/ws/**", partial: true }],
  });
  expect(authorizer.leavesOut?.(call, circumstancesOf())).toEqual(["/ws/a"]);
  expect(authorizer.pathDenies?.(call, circumstancesOf())?.at("/ws/a")?.read).toBeDefined();
});
