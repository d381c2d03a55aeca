import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, formatTable } from "../benchmarks/src/report.ts";
import { ELSEWHERE } from "../tests/corpus/elsewhere.ts";
import { HOOK_CLASSES, readHookRecords } from "../tests/corpus/hook/record.ts";
import { GROUPS, readCorpus } from "../tests/corpus/record.ts";
import type { Line } from "../tests/corpus/run-corpus.ts";
import { runInJail, whyNoJail } from "../tests/jail/outer-jail.ts";

/**
 * Plays the corpus of attacks as root and as an ordinary user, within a jail, and prints what each layer stopped. A quick
 * run plays each as one of them, half as root, with all layers.
 */
const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const USERS = ["root", "user"] as const;
/** What is played, each in a jail of its own. */
const PARTS = [
  { script: "run-corpus.ts", ids: readCorpus().map(({ id }) => id) },
  { script: "run-hook.ts", ids: readHookRecords().map(({ id }) => id) },
].map(({ script, ids }) => ({ script, ids: ids.filter((id) => id.startsWith(options.only)) }));
const reasons = USERS.map((user) => [user, whyNoJail(user)] as const);
const skipped = reasons.flatMap(([user, reason]) => (reason === undefined ? [] : [`as ${user}: ${reason}`]));
const playing = reasons.filter(([, reason]) => reason === undefined).map(([user]) => user);
// Each jail has a machine of its own, as far as it can see.
const runs: Record<string, readonly Line[]> = Object.fromEntries(
  await Promise.all(playing.map(async (user) => [user, await played(user)] as const)),
);

const failures = Object.entries(runs).flatMap(([user, lines]) =>
  lines.filter((line) => !line.together).map(({ id, error }) => `${id} as ${user}: ${error}`),
);
for (const [user, lines] of Object.entries(runs)) print(user, lines);
for (const [id, place] of Object.entries(ELSEWHERE)) console.log(`elsewhere: ${id}, ${place}`);
for (const reason of skipped) console.log(`skipped ${reason}`);
for (const failure of failures) console.log(`NOT AS DEMANDED: ${failure}`);
if (options.json) console.log(JSON.stringify({ name: "attacks", runs, skipped, failures }));
if (failures.length > 0 || Object.keys(runs).length === 0) process.exitCode = 1;

async function played(user: (typeof USERS)[number]): Promise<readonly Line[]> {
  const parts = PARTS.filter(({ ids }) => ids.length > 0).map(({ script, ids }) => {
    console.error(`  as ${user}: ${ids.length} records by ${script}`);
    return partPlayed(script, user);
  });
  return (await Promise.all(parts)).flat();
}

async function partPlayed(script: string, user: (typeof USERS)[number]): Promise<readonly Line[]> {
  const { exitCode, stdout, stderr } = await runInJail({
    script: join(import.meta.dirname, "../tests/corpus", script),
    args: [options.only, `${playing.indexOf(user)}/${playing.length}`, options.quick ? "divided" : "all"],
    as: user,
    timeoutMs: 600_000,
  });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  if (exitCode === 0) return lines.map((line) => JSON.parse(line) as Line);
  throw new Error(
    `${script} as ${user} ended with ${exitCode} after ${lines.at(-1) ?? "nothing"}.\n${stderr.slice(-4_000)}`,
  );
}

function print(user: string, lines: readonly Line[]): void {
  const attacks = lines.filter(({ demanded, isVoid }) => demanded !== "allow" && isVoid !== true);
  const rows = [...GROUPS, ...HOOK_CLASSES, "all"].map((group) => {
    const those = attacks.filter((line) => group === "all" || line.group === group);
    return {
      name: group,
      tried: those.length,
      "rules alone": shareOf(those, "rules"),
      "io alone": shareOf(those, "io"),
      "sandbox alone": shareOf(those, "sandbox"),
      "hook alone": shareOf(those, "hook"),
      together: shareOf(those, "together"),
    };
  });
  console.log(`\nAttacks stopped, as ${user}\n`);
  console.log(formatTable(rows.filter(({ tried }) => tried > 0) satisfies readonly Figure[]));
  for (const line of [benignLine(lines), hookLine(attacks), controlLine(lines)]) console.log(`\n${line}`);
  console.log("");
}

function benignLine(lines: readonly Line[]): string {
  const benign = lines.filter(({ demanded }) => demanded === "allow");
  const passed = benign.filter(({ together }) => together).length;
  return `benign: ${benign.length} tried, ${passed} passed`;
}

/** What the hook answered last to each attack; where it allowed all of one, that did no harm. */
function hookLine(attacks: readonly Line[]): string {
  const count = (said: Line["said"]) => attacks.filter((line) => line.said === said).length;
  return `attacks on the hook: ${count("ask")} asked, ${count("deny")} denied, ${count("safe form")} refused with a safe form, ${count("allow")} allowed`;
}

/** The same attacks where nothing stops them, so that what is checked can fail. */
function controlLine(lines: readonly Line[]): string {
  const tried = lines.filter(({ harm }) => harm !== undefined);
  const harmless = tried.filter(({ harm }) => harm?.length === 0).map(({ id }) => id);
  const rest = harmless.length === 0 ? "" : `; none by ${harmless.join(", ")}`;
  return `without any layer: ${tried.length} tried, ${tried.length - harmless.length} did harm${rest}`;
}

/** Of those that a layer was tried with; a layer that has no say in any is a dash. */
function shareOf(lines: readonly Line[], layer: "rules" | "io" | "sandbox" | "hook" | "together"): string {
  const tried = lines.filter((line) => line[layer] !== undefined);
  if (tried.length === 0) return "–";
  return `${tried.filter((line) => line[layer]).length} of ${tried.length}`;
}
