import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, formatTable } from "../benchmarks/src/report.ts";
import { ELSEWHERE } from "../tests/corpus/elsewhere.ts";
import { GROUPS, readCorpus } from "../tests/corpus/record.ts";
import type { Line } from "../tests/corpus/run-corpus.ts";
import { ASKING_CONTROLS } from "../tests/corpus/verdict.ts";
import { runInJail, whyNoJail } from "../tests/jail/outer-jail.ts";

/** Plays the corpus of attacks as root and as an ordinary user, within a jail, and prints what each layer stopped. */
const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const USERS = ["root", "user"] as const;
const reasons = USERS.map((user) => [user, whyNoJail(user)] as const);
const skipped = reasons.flatMap(([user, reason]) => (reason === undefined ? [] : [`as ${user}: ${reason}`]));
const playing = reasons.filter(([, reason]) => reason === undefined).map(([user]) => user);
// Each jail has a machine of its own, as far as it can see.
const runs: Record<string, readonly Line[]> = Object.fromEntries(
  await Promise.all(playing.map(async (user) => [user, await played(user)] as const)),
);

const failures = Object.entries(runs).flatMap(([user, lines]) =>
  lines.filter(({ together }) => !together).map(({ id, fault }) => `${id} as ${user}: ${fault}`),
);
for (const [user, lines] of Object.entries(runs)) print(user, lines);
for (const [id, place] of Object.entries(ELSEWHERE)) console.log(`elsewhere: ${id}, ${place}`);
for (const reason of skipped) console.log(`skipped ${reason}`);
for (const failure of failures) console.log(`NOT AS DEMANDED: ${failure}`);
if (options.json) console.log(JSON.stringify({ name: "attacks", runs, skipped, failures }));
if (failures.length > 0 || Object.keys(runs).length === 0) process.exitCode = 1;

async function played(user: (typeof USERS)[number]): Promise<readonly Line[]> {
  console.error(`  as ${user}: ${readCorpus().length} records`);
  const script = join(import.meta.dirname, "../tests/corpus/run-corpus.ts");
  const args = options.only === "" ? [] : [options.only];
  const { exitCode, stdout, stderr } = await runInJail({ script, args, as: user, timeoutMs: 600_000 });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  if (exitCode === 0) return lines.map((line) => JSON.parse(line) as Line);
  throw new Error(
    `The run as ${user} ended with ${exitCode} after ${lines.at(-1) ?? "nothing"}.\n${stderr.slice(-4_000)}`,
  );
}

function print(user: string, lines: readonly Line[]): void {
  const attacks = lines.filter(({ demanded }) => demanded !== "allow");
  const rows = [...GROUPS, "all"].map((group) => {
    const those = attacks.filter((line) => group === "all" || line.group === group);
    return {
      name: group,
      tried: those.length,
      "rules alone": shareOf(those, "rules"),
      "hands alone": shareOf(those, "hands"),
      "walls alone": shareOf(those, "walls"),
      together: shareOf(those, "together"),
    };
  });
  const benign = lines.filter(({ group }) => group === "control");
  const asked = benign.filter(({ id, together }) => together && ASKING_CONTROLS.has(id)).length;
  const passed = benign.filter(({ together }) => together).length - asked;
  console.log(`\nAttacks stopped, as ${user}\n`);
  console.log(formatTable(rows.filter(({ tried }) => tried > 0) satisfies readonly Figure[]));
  console.log(
    `\nbenign: ${benign.length} tried, ${passed} passed, ${asked} asked because they trip the strict rule of the shell\n`,
  );
}

/** Of those that a layer was tried with; a layer that has no say in any is a dash. */
function shareOf(lines: readonly Line[], layer: "rules" | "hands" | "walls" | "together"): string {
  const tried = lines.filter((line) => line[layer] !== undefined);
  if (tried.length === 0) return "–";
  return `${tried.filter((line) => line[layer]).length} of ${tried.length}`;
}
