import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Action, ToolFailure } from "@toolkeep/core";
import { compilePolicy, policyCall, policyContext } from "@toolkeep/core/policy";
import { commandEffects } from "@toolkeep/core/ports";
import { parseCommand } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";

/*
 * Many of these lines are working exploits. They are parsed and decided here, and never run.
 */

interface ShellAttack {
  readonly id: string;
  readonly tool: string;
  readonly input: { readonly command: string };
  readonly setup: { readonly rules: readonly (readonly [string, string, Action])[] };
  readonly must: { readonly decision: "allow" | "ask" | "deny" | "limit"; readonly invariant: string };
}

function records(group: string): readonly ShellAttack[] {
  const lines = readFileSync(join(import.meta.dirname, "attacks", `${group}.jsonl`), "utf8").trimEnd();
  const all = lines.split("\n").map((line) => JSON.parse(line) as ShellAttack);
  return all.filter(({ tool }) => tool === "bash");
}

const WORKSPACE = "/ws";

/** What the rules of the record and the watchdogs that ship make of the line. */
async function decide({ input: { command }, setup }: ShellAttack): Promise<Action> {
  const rules = setup.rules.map(([permission, pattern, action]) => ({ permission, pattern, action }));
  const policy = compilePolicy({ rules, variables: { workspace: [WORKSPACE] } });
  try {
    const parsed = await parseCommand(command, { home: "/home/ada" });
    const effects = commandEffects(parsed, command).map((one) =>
      one.capability.startsWith("fs.") ? { ...one, target: posix.resolve(WORKSPACE, one.target) } : one,
    );
    const call = policyCall({ tool: "bash", source: "bundled", mode: "local", args: { command }, effects });
    return (await policy.decide(call, policyContext({ roots: [WORKSPACE] }))).action;
  } catch (error) {
    // Refused before any rule is asked.
    if (ToolFailure.isInstance(error)) return "deny";
    throw error;
  }
}

const SYNTAX = records("shell-syntax");
const ARGUMENTS = records("shell-argument");
const INTENTS = records("shell-intent");
const CONTROLS = records("control");

/** Left to resource limits, because they look like honest work. */
const LIMITED = INTENTS.filter(({ must }) => must.decision === "limit");
const DECIDED = [...SYNTAX, ...ARGUMENTS, ...INTENTS].filter((one) => !LIMITED.includes(one));

describe("every attack is denied, or asked about where that is enough", () => {
  test.each(DECIDED.map((one) => [one.id, one.input.command.slice(0, 60), one] as const))(
    "%s %j",
    async (_id, _line, attack) => {
      const enough = attack.must.decision === "deny" ? ["deny"] : ["ask", "deny"];
      expect(enough, attack.must.invariant).toContain(await decide(attack));
    },
  );
});

describe("what the same rules are there for is allowed", () => {
  test.each(CONTROLS.map((one) => [one.id, one.input.command, one] as const))(
    "%s %j",
    async (_id, _line, control) => {
      expect(await decide(control)).toBe("allow");
    },
  );
});

test("none is forgotten: 227 attacks are decided, 3 are left to limits, all 36 controls are allowed", () => {
  expect([SYNTAX.length, ARGUMENTS.length, INTENTS.length, CONTROLS.length]).toEqual([105, 100, 25, 36]);
  expect([DECIDED.length, LIMITED.map(({ id }) => id)]).toEqual([227, ["I011", "I012", "I013"]]);
});
