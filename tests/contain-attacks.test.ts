import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type AttackReport, readPlantedAttacks, readSandboxAttacks } from "./attacks/sandbox-records.ts";
import { CONTAIN_ATTACKS } from "./contain-attacks/attacks.ts";
import { runInJail, whyNoJail } from "./jail/outer-jail.ts";
import { inCrowd } from "./time-limits/crowd.ts";

const SCRIPT = join(import.meta.dirname, "contain-attacks/play-attacks.ts");
const LONGEST = inCrowd(600_000);
/** What root needs that opens places for another user, besides what it has in a jail. */
const RIGHTS = ["SYS_PTRACE", "LEASE"];
const USERS = ["root", "user"] as const;
type As = (typeof USERS)[number];
const isLong = process.env["TOOLKEEP_LONG"] !== undefined;

/** What the sandbox holds without a layer must hold in one; a short run plays what once came through. */
const ONCE_THROUGH = ["C031", "X002", "W17", "GS17", "PN11", "PG07"];
/** A contained command may use as much memory as it may outside. */
const OF_LIMITS = ["X031"];
const LAYERED = [
  { script: "sandbox-attacks.ts", ids: readSandboxAttacks().map(({ id }) => id) },
  { script: "planted-attacks.ts", ids: readPlantedAttacks().map(({ id }) => id) },
].map(({ script, ids }) => ({
  script: join(import.meta.dirname, "jail", script),
  ids: ids.filter((id) => (isLong && !OF_LIMITS.includes(id)) || ONCE_THROUGH.includes(id)),
}));

/** Each is played as one of the users, and in a long check as both. */
function shareOf<One>(all: readonly One[], as: As): readonly One[] {
  return all.filter((_, index) => isLong || whyNoJail("root") !== undefined || USERS[index % 2] === as);
}

const attacksAs = (as: As) =>
  shareOf(CONTAIN_ATTACKS, as).filter((one) => as === "user" || one.as !== "user");

test("there are 73 attacks on layer, commit, place and undo, each with an id of its own", () => {
  expect(new Set(CONTAIN_ATTACKS.map(({ id }) => id)).size).toBe(73);
});

for (const as of USERS) {
  const reason = whyNoJail(as);
  describe.skipIf(reason !== undefined)(
    `contained, as ${as}${reason === undefined ? "" : `: skipped, ${reason}`}`,
    () => {
      const reports = new Map<string, AttackReport>();

      beforeAll(async () => {
        const own = attacksAs(as).map(({ id }) => id);
        const parts = [0, 1].map((part) => own.filter((_, index) => index % 2 === part));
        const runs = [
          ...parts.map((ids) => ({ script: SCRIPT, args: ["contained", ...ids] })),
          ...LAYERED.map(({ script, ids }) => ({ script, args: ["layered", ...shareOf(ids, as)] })),
        ];
        for (const lines of await Promise.all(runs.map((one) => played({ ...one, as }))))
          for (const report of lines) reports.set(report.id, report);
      });

      test.each(attacksAs(as).map(({ id, tries }) => [id, tries] as const))("%s: %s", (id) => {
        expect(reports.get(id)?.errors).toEqual([]);
      });

      test.each(LAYERED.flatMap(({ ids }) => shareOf(ids, as)))("%s of the sandbox, in a layer", (id) => {
        expect(reports.get(id)?.errors).toEqual([]);
      });
    },
  );
}

test.skipIf(whyNoJail("user") !== undefined)(
  "without a sandbox the same attacks succeed, so the checks can fail",
  async () => {
    const bare = CONTAIN_ATTACKS.filter(({ onlyContained }) => onlyContained !== true).map(({ id }) => id);
    const parts = [0, 1].map((part) => bare.filter((_, index) => index % 2 === part));
    const runs = parts.map((ids) => played({ script: SCRIPT, args: ["bare", ...ids], as: "user" }));
    const reports = (await Promise.all(runs)).flat();
    expect(reports.map(({ id }) => id).toSorted()).toEqual(bare.toSorted());
    expect(reports.filter(({ errors }) => errors.length === 0)).toEqual([]);
  },
);

interface Playing {
  readonly script: string;
  readonly args: readonly string[];
  readonly as: As;
}

async function played(run: Playing): Promise<readonly AttackReport[]> {
  const { stdout, stderr } = await runInJail({ ...run, capabilities: RIGHTS, timeoutMs: LONGEST });
  expect(stderr).toBe("");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AttackReport);
}
