import { entryOf, readCommand } from "@toolkeep/catalog";
import { rowsByName, COMMAND_PREFIXES as table, wordsIn } from "@toolkeep/catalog/internal";

/** The words a person means by "this kind of command"; none if it runs whatever it is given, or is not known. */
export function commandPrefix(argv: readonly string[]): readonly string[] | undefined {
  const [name = "", first] = argv;
  if (isSimple(argv)) return argv.slice(0, 1);
  const lengths = Object.hasOwn(LENGTHS, name) ? LENGTHS[name] : undefined;
  const length = lengths?.get(first ?? "") ?? lengths?.get("*");
  if (length === undefined || argv.length < length) return undefined;
  const prefix = argv.slice(0, length);
  return prefix.some(isSetting) || runsAnything(prefix) ? undefined : prefix;
}

function runsAnything([name, , deeper]: readonly string[]): boolean {
  return name === "docker" && (deeper === "exec" || deeper === "run");
}

/** An option or a setting before the subcommand makes it another kind of command. */
function isSetting(word: string): boolean {
  return word.startsWith("-") || word.includes("=");
}

/** Programs without subcommands of which a rule for all their words is as good as one for these. */
const SIMPLE = wordsIn(table.simple);

/** Also what only looks at files that it names, and is given no program of its own. */
function isSimple(argv: readonly string[]): boolean {
  const { commands, operands = "text" } = entryOf(argv[0] ?? "") ?? {};
  const { does, isWhole, runs } = readCommand(argv) ?? NOT_KNOWN;
  if (SIMPLE.has(argv[0] ?? "")) return true;
  const looks = does.every((one) => one === "local.read");
  return (
    isWhole && looks && runs.length === 0 && commands === undefined && !/sed|awk|command|fed/.test(operands)
  );
}

const NOT_KNOWN = { does: [], isWhole: false, runs: [] };

/** How many words, by subcommand. Of a subcommand that is not here, nothing is known. `*` is any. */
const LENGTHS = rowsByName<LengthRow, ReadonlyMap<string, number>>(
  table.lengths,
  (row) =>
    new Map(
      Object.entries(row).flatMap(([length, words]) =>
        [...wordsIn(words)].map((subcommand) => [subcommand, Number(length)] as const),
      ),
    ),
);

type LengthRow = Readonly<Record<string, string | readonly string[]>>;
