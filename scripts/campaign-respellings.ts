import { evaluate, printReport, progress, readOptions } from "../benchmarks/src/report.ts";
import { openModeDecider } from "../tests/catalog/decide-in-modes.ts";
import { CHANGED_MEANINGS } from "../tests/respellings/changed-meanings.ts";
import { differencesIn, textOf } from "../tests/respellings/compare-respellings.ts";
import { allLines } from "../tests/respellings/lines.ts";
import { respellLine } from "../tests/respellings/respell-line.ts";
import { Random } from "../tests/shell-fuzz/random.ts";

/**
 * Spells every recorded line in many ways and compares what the hook answers to them.
 * `npm run campaign:respellings [-- --json] [--quick]`, with `TOOLKEEP_RUNS` for another number of
 * spellings and `TOOLKEEP_SEED` for the same ones again.
 */
const options = readOptions();
const count = Number(process.env["TOOLKEEP_RUNS"] ?? (options.quick ? 2 : 50));
const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const random = new Random(seed);
progress(`seed ${seed}`);

const lines = allLines();
await using decider = await openModeDecider([]);
const spelled = lines.flatMap((line) => [...spellingsOf(line)].map((spelling) => ({ line, spelling })));
const differences = await differencesIn(decider, spelled);
const changed = CHANGED_MEANINGS.map(([line, other]) => ({ line, spelling: respellLine(other, random) }));
const seen = await differencesIn(decider, changed);
for (const difference of differences) progress(textOf(difference));

printReport(
  {
    name: "respellings",
    goals: [
      evaluate("spellings that are answered otherwise", differences.length, "<= 0"),
      evaluate("control: changed meanings that are seen", seen.length, `>= ${CHANGED_MEANINGS.length}`),
    ],
    figures: [{ name: "compared", lines: lines.length, spellings: spelled.length }],
  },
  options,
);
if (differences.length > 0 || seen.length < CHANGED_MEANINGS.length) process.exitCode = 1;

function spellingsOf(line: string): ReadonlySet<string> {
  return new Set(Array.from({ length: count }, () => respellLine(line, random)));
}
