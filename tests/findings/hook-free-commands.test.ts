import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { parseCommand } from "@toolkeep/node";
import { parsePolicy, testPolicy } from "@toolkeep/policy";
import { describe, expect, test } from "vitest";
import { FREE_COMMANDS, STOPPED_COMMANDS } from "./hook-decisions/free-commands.ts";

/** Alternatives of a pattern, one after the other. */
function expanded(pattern: string): readonly string[] {
  const [whole, inner = ""] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  return whole === undefined
    ? [pattern]
    : inner.split(",").flatMap((part) => expanded(pattern.replace(whole, () => part)));
}

const free = RECOMMENDED_POLICY.rules
  .filter(({ action, permission, if: conditions = [] }) => {
    const isFree = !conditions.includes("sandboxed") && !conditions.includes("trusted");
    return action === "allow" && permission === "shell.run" && isFree;
  })
  .flatMap(({ pattern = "", if: conditions = [] }) =>
    conditions.includes("local-read") ? ["curl", "wget"] : expanded(pattern),
  );

const isCoveredBy = (pattern: string, command: string) => `${pattern} `.startsWith(`${command} `);

describe("commands that are free without a sandbox and without trust", () => {
  test("each was classified by what it loads of the project, with its source", () => {
    expect(free.length).toBeGreaterThan(60);
    const unjudged = free.filter(
      (pattern) => !FREE_COMMANDS.some(({ command }) => isCoveredBy(pattern, command)),
    );
    expect(unjudged).toEqual([]);
  });

  test.each(FREE_COMMANDS)(
    "$command is one of them, and what it executes automatically is stopped",
    ({ command, autoExecutes, heldBy, source }) => {
      expect(free.some((pattern) => isCoveredBy(pattern, command))).toBe(true);
      expect(source).not.toBe("");
      expect(autoExecutes === "nothing" || heldBy !== undefined).toBe(true);
    },
  );

  test("[attack 06] [attack 07] what runs or sends as the project says needs a sandbox", async () => {
    const calls = STOPPED_COMMANDS.flatMap(({ command }) => [
      `  - { bash: ${JSON.stringify(command)}, expect: ask }`,
      `  - { bash: ${JSON.stringify(command)}, sandboxed: true, expect: allow }`,
    ]);
    const text = ["version: 1", "extends: [toolkeep:recommended]", "tests:", ...calls].join("\n");
    const { diagnostics, results } = await testPolicy(
      parsePolicy(text, { file: "policy.yaml", home: "/home/ada" }),
      { parseCommand },
    );
    expect(diagnostics).toEqual([]);
    expect(results.map(({ action }) => action)).toEqual(STOPPED_COMMANDS.flatMap(() => ["ask", "allow"]));
  });
});
