import { HEADLESS_DENIAL, HEADLESS_QUESTION, headlessApprover } from "@toolkeep/core/internal";
import { scriptedApprover } from "@toolkeep/core/testing";
import { expect } from "vitest";
import { type Check, hasInvalidArguments, isAsked, isDenied } from "./outcomes.ts";
import type { Attack } from "./record.ts";
import { type Extra, openStage, playAttack, resolver } from "./stage.ts";

/** Of the attacks on rules, those of which more is demanded than their outcome. */
export const RULE_CHECKS: Readonly<Record<string, Check>> = {
  async D004(attack) {
    await isDenied(attack);
    expect((await playAttack(attack)).result.failure?.message).toContain(HEADLESS_DENIAL);
  },

  async D005(attack) {
    const { result, executions } = await playAttack(attack);
    expect(result.failure).toMatchObject({ code: "unavailable", message: HEADLESS_QUESTION });
    expect(executions).toEqual([]);
    const answered = await playAttack(attack, { approver: scriptedApprover("once", () => [["yes"]]) });
    expect(answered.result.data).toEqual([["yes"]]);
  },

  async D008(attack) {
    await isAsked(attack);
    const { approver } = await playAttack(attack);
    expect(approver.requests[0]?.effects).toContainEqual(
      expect.objectContaining({ capability: "fs.write", target: "/home/ada/.zshrc" }),
    );
  },

  /** The port of such a volume gives the name that is on disk. */
  async D018(attack) {
    const folding = { ...resolver, canonicalPath: async (path: string) => path.toLowerCase() };
    await isDeniedWith(attack, { resolver: folding });
  },

  async D019({ tool, input, setup }) {
    const { call, approver, executions } = await openStage(setup);
    const first = { command: "echo a" };
    await call(tool, first);
    await call(tool, first);
    expect(approver.requests).toHaveLength(1);
    await call(tool, input);
    expect(approver.requests).toHaveLength(2);
    expect(executions.map(({ args }) => args)).toEqual([first, first, input]);
  },

  async D020(attack) {
    const held: Record<string, unknown> = { ...attack.input };
    const changing = scriptedApprover(() => {
      held["command"] = "rm -rf /";
      return { verdict: "once" };
    });
    const { executions } = await playAttack({ ...attack, input: held }, { approver: changing });
    expect(changing.requests[0]?.arguments).toEqual(attack.input);
    expect(executions).toEqual([{ tool: attack.tool, args: attack.input }]);
    expect(Object.isFrozen(executions[0]?.args)).toBe(true);
  },

  async D022(attack) {
    expect(Object.hasOwn(attack.input, "__proto__")).toBe(true);
    await hasInvalidArguments(attack);
    expect("approved" in {}).toBe(false);
  },

  async D024(attack) {
    const { result, executions } = await playAttack(attack);
    expect(result.data).toMatchObject({ status: "done", text: "denied" });
    expect(executions).toEqual([]);
    const allowed = await playAttack({ ...attack, input: { prompt: "run ls" } });
    expect(allowed.executions).toEqual([{ tool: "bash", args: { command: "ls" } }]);
  },

  async D025(attack) {
    await isDenied(attack);
    const hanging = { name: "hanging", timeoutMs: 10, evaluate: () => new Promise<never>(() => {}) };
    await isDeniedWith({ ...attack, setup: {} }, { watchdogs: [hanging] });
  },

  async D026(attack) {
    const rules = [{ permission: "bash", pattern: "ls", action: "allow", if: ["sandboxed"] }] as const;
    const alone = { rules, approver: headlessApprover };
    for (const isolation of ["none", "files"] as const) await isDeniedWith(attack, { ...alone, isolation });
    const sandboxed = await playAttack(attack, { ...alone, isolation: "files-and-network" });
    expect(sandboxed.executions).toHaveLength(1);
  },

  async D027(attack) {
    await isDenied(attack);
    expect(await bestTimeOf(attack)).toBeLessThan(50);
  },

  async D028(attack) {
    expect(attack.input["command"]).toHaveLength(9_000);
    await isDenied(attack);
    expect(await bestTimeOf(attack)).toBeLessThan(50);
  },
};

async function isDeniedWith(attack: Attack, options: Extra): Promise<void> {
  const { result, approver, executions } = await playAttack(attack, options);
  expect(result.failure?.code).toBe("denied");
  expect(approver.requests).toEqual([]);
  expect(executions).toEqual([]);
}

/** In milliseconds. The best of a few: a busy machine must not decide it. */
async function bestTimeOf({ tool, input, setup }: Attack): Promise<number> {
  const { call } = await openStage(setup);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await call(tool, input);
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}
