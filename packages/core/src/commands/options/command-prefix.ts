import { entryOf, readCommand } from "@toolkeep/catalog";

/**
 * The words a person means by "this kind of command": what a wider rule would begin with. There are none
 * for a command that runs whatever it is given, nor for one that is not known.
 */
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
const SIMPLE: ReadonlySet<string> = new Set(
  "tsc eslint prettier vitest jest pytest mkdir touch rmdir tee truncate ps date".split(" "),
);

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
function lengths(byLength: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(byLength).flatMap(([length, text]) =>
      text.split(" ").map((subcommand) => [subcommand, Number(length)] as const),
    ),
  );
}

const SCRIPTS = { 2: "test t start stop ls list outdated audit view why ci", 3: "run run-script" };

const LENGTHS: Readonly<Record<string, ReadonlyMap<string, number>>> = {
  git: lengths({
    2:
      "status diff log show add commit branch checkout switch restore rev-parse rev-list blame ls-files ls-tree tag merge " +
      "push pull fetch clone describe shortlog cat-file merge-base grep init reset rm mv cherry-pick revert for-each-ref",
    3: "stash remote worktree reflog notes",
  }),
  npm: lengths(SCRIPTS),
  pnpm: lengths(SCRIPTS),
  yarn: lengths({ ...SCRIPTS, 2: `${SCRIPTS[2]} lint build typecheck format` }),
  bun: lengths({ 2: "test", 3: "run" }),
  cargo: lengths({ 2: "test check build clippy fmt doc tree metadata bench" }),
  go: lengths({ 2: "test build vet list fmt version doc" }),
  docker: lengths({
    2: "ps images logs inspect build pull stop start stats",
    3: "compose container image volume network",
  }),
  kubectl: lengths({ 2: "get describe logs top explain version" }),
  gh: lengths({ 3: "pr issue run repo release workflow label" }),
  pip: lengths({ 2: "list show freeze check" }),
  make: lengths({ 2: "*" }),
};
