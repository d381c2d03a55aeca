import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AttackReport, readPlantedAttacks, readSandboxAttacks } from "./attacks/sandbox-records.ts";
import { ATTACK_CHECKS } from "./jail/attack-checks.ts";
import { runInJail, whyNoJail } from "./jail/outer-jail.ts";
import { inCrowd } from "./time-limits/crowd.ts";

const ATTACKS = readSandboxAttacks();
const PLANTED = readPlantedAttacks();
const SCRIPT = join(import.meta.dirname, "jail/sandbox-attacks.ts");
const PLANTED_SCRIPT = join(import.meta.dirname, "jail/planted-attacks.ts");

const LONGEST = inCrowd(150_000);
/** Each scene is played as one of the users, and in a long check as both. */
const USERS = ["root", "user"] as const;
const isLong = process.env["TOOLKEEP_LONG"] !== undefined || whyNoJail("root") !== undefined;
const scenesOf = (as: (typeof USERS)[number]) =>
  PLANTED.filter((_, index) => isLong || USERS[index % 2] === as);

/** Harmless where they succeed, because the jail holds them. */
const SUCCEED_WITHOUT_SANDBOX = [
  "L019",
  "L020",
  "X001",
  "X002",
  "X004",
  "X005",
  "X018",
  "X020",
  "X022",
  "X028",
  "C030",
];

test("of 140 scenes of what commands leave behind, 123 are attacks, each with an id of its own", () => {
  expect(new Set(PLANTED.map(({ id }) => id)).size).toBe(140);
  expect(PLANTED.filter(({ harmless }) => harmless !== true)).toHaveLength(123);
});

test("there are 44 attacks on the sandbox, each with what must hold afterwards", () => {
  expect(ATTACKS.map(({ id }) => id).toSorted()).toEqual(Object.keys(ATTACK_CHECKS).toSorted());
  expect(ATTACKS).toHaveLength(44);
});

for (const as of USERS) {
  const reason = whyNoJail(as);
  describe.skipIf(reason !== undefined)(
    `as ${as}${reason === undefined ? "" : `: skipped, ${reason}`}`,
    () => {
      const reports = new Map<string, AttackReport>();
      const before = machine();

      beforeAll(async () => {
        // Each jail has a machine of its own, as far as it can see.
        const outcomes = await Promise.all(
          [
            { script: SCRIPT, args: [] },
            { script: PLANTED_SCRIPT, args: ["sandboxed", ...scenesOf(as).map(({ id }) => id)] },
          ].map((one) => runInJail({ ...one, as, timeoutMs: LONGEST })),
        );
        for (const { stdout, stderr } of outcomes) {
          expect(stderr).toBe("");
          for (const report of parsed(stdout)) reports.set(report.id, report);
        }
      });

      test.each(ATTACKS.map(({ id, must }) => [id, must.invariant] as const))("%s %s", (id) => {
        expect(reports.get(id)?.errors).toEqual([]);
      });

      test.each(scenesOf(as).map(({ id, must }) => [id, must] as const))("%s %s", (id) => {
        expect(reports.get(id)?.errors).toEqual([]);
      });

      afterAll(() => expect(machine()).toEqual(before));
    },
  );
}

test.skipIf(whyNoJail("user") !== undefined)(
  "without a sandbox the same attacks succeed, so the checks can fail",
  async () => {
    const { stdout } = await runInJail({ script: SCRIPT, args: SUCCEED_WITHOUT_SANDBOX, as: "user" });
    const held = parsed(stdout).filter(({ errors }) => errors.length === 0);
    expect(parsed(stdout)).toHaveLength(SUCCEED_WITHOUT_SANDBOX.length);
    expect(held).toEqual([]);
    const planted = await runInJail({
      script: PLANTED_SCRIPT,
      args: ["bare", ...PLANTED.map(({ id }) => id)],
      as: "user",
      timeoutMs: LONGEST,
    });
    const harmless = PLANTED.filter((attack) => attack.harmless === true);
    expect(parsed(planted.stdout)).toHaveLength(PLANTED.length - harmless.length);
    expect(parsed(planted.stdout).filter(({ errors }) => errors.length === 0)).toEqual([]);
  },
);

function parsed(lines: string): readonly AttackReport[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AttackReport);
}

function machine(): readonly string[] {
  return [hostname(), readFileSync("/proc/sys/kernel/core_pattern", "utf8")];
}
