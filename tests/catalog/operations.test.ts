import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Random } from "../shell-fuzz/random.ts";
import { MODES, type ModeDecider, openModeDecider } from "./decide-in-modes.ts";
import operations from "./operations.json" with { type: "json" };

/*
 * Commands of operations, three spellings each, as the hooks of Claude Code and Codex answer to them where the user
 * allows every one of the programs in Claude Code. A short check takes one of the three, and a long one all.
 */

const { reads, changes, destructions } = operations;
const ALL = [...reads, ...changes, ...destructions];
const PROGRAMS = [...new Set(ALL.map(([line = ""]) => line.split(" ")[0] ?? ""))];

const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const random = new Random(seed);

let decider: ModeDecider;
beforeAll(async () => {
  decider = await openModeDecider(PROGRAMS);
});
afterAll(() => decider[Symbol.asyncDispose]());

type Verdict = Awaited<ReturnType<ModeDecider["byHook"]>>;

/** The spellings that are answered otherwise in a mode, each with the answer. */
async function otherwise(
  commands: readonly (readonly string[])[],
  isRight: (verdict: Verdict) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const isLong = process.env["TOOLKEEP_LONG"] !== undefined;
  for (const line of commands.flatMap((spellings) => (isLong ? spellings : [random.pick(spellings)]))) {
    const verdicts = await decider.inModes(line);
    for (const mode of MODES)
      if (!isRight(verdicts[mode]))
        found.push(`${mode}: ${line}: ${verdicts[mode].action}, ${verdicts[mode].reason}`);
  }
  return found;
}

const passes = ({ action }: Verdict) => action === "allow" || action === "none";

describe(`commands of operations, seed ${seed}`, () => {
  test("are 300 of many programs, each in three spellings", () => {
    expect([reads, changes, destructions].map((commands) => commands.length)).toEqual([100, 100, 100]);
    expect(PROGRAMS.length).toBeGreaterThanOrEqual(20);
    for (const spellings of ALL) expect(new Set(spellings).size, spellings[0]).toBe(3);
    expect(new Set(ALL.flat()).size).toBe(900);
  });

  test("that only read are not asked about", async () => {
    expect(await otherwise(reads, (verdict) => passes(verdict) && verdict.decided === "allow")).toEqual([]);
  });

  test("that destroy never pass", async () => {
    expect(await otherwise(destructions, (verdict) => !passes(verdict))).toEqual([]);
  });

  test("that change something are never taken for reads", async () => {
    expect(await otherwise(changes, ({ decided }) => decided !== "allow")).toEqual([]);
  });

  test("are answered by the whole hook in the same way", async () => {
    for (let count = 0; count < 20; count += 1) {
      const line = random.pick(ALL.flat());
      const mode = random.pick(MODES);
      const { action } = await decider.byHook(line, mode);
      expect(action, `${mode}: ${line}`).toBe((await decider.inModes(line))[mode].action);
    }
  });
});
