/*
 * Package managers take options before the name of a script, as many as one likes. Those that are known to take no value
 * end the search at the word after them; a word after any other option may be its value or the name.
 */

interface Grammar {
  /** The command that runs a script by its name, under each of its names. */
  readonly run: ReadonlySet<string>;
  /** Options whose value is the next word. */
  readonly valued: ReadonlySet<string>;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
}

function grammar(run: string, valued: string, flags: string): Grammar {
  return { run: wordSet(run), valued: wordSet(valued), flags: wordSet(flags) };
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  npm: grammar(
    "run run-script rum urn",
    "-w --workspace --prefix -C --loglevel --script-shell --userconfig --globalconfig --registry --cache --node-options",
    "-s -q -d --silent --quiet --json --if-present --ignore-scripts --workspaces --include-workspace-root --foreground-scripts",
  ),
  pnpm: grammar(
    "run run-script",
    "-F --filter --filter-prod -C --dir --reporter --loglevel --workspace-concurrency --resume-from --script-shell",
    "-r -s -w --recursive --silent --stream --parallel --no-bail --if-present --workspace-root --sequential --aggregate-output",
  ),
  yarn: grammar(
    "run",
    "--cwd --registry --modules-folder --cache-folder",
    "-s -T -B -i --silent --top-level --binaries-only --json --non-interactive --inspect --inspect-brk",
  ),
  bun: grammar("run", "--cwd --filter -F --env-file --shell", "--silent --bun -b --if-present --watch --hot"),
};

const MOST_NAMES = 32;

/**
 * The command with the name of its script directly after `run`, once for each word that may be the name. None where it
 * stands there already, and for commands that run no script by its name.
 */
export function scriptForms(argv: readonly string[]): readonly (readonly string[])[] {
  const [name = "", run = "", ...words] = argv;
  const rules = Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined;
  if (rules === undefined || !rules.run.has(run)) return [];
  if (run === "run" && words[0]?.startsWith("-") !== true) return [];
  const places = namePlaces(words, rules);
  // What follows the name matters to few rules; in a very long line it is left out.
  return places.map((at, index) => [
    name,
    "run",
    ...words.slice(at, index < MOST_NAMES ? words.length : at + 1),
  ]);
}

function namePlaces(words: readonly string[], { valued, flags }: Grammar): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-")) continue;
    const before = words[at - 1] ?? "";
    if (valued.has(before)) continue;
    places.push(at);
    const mayBeValue =
      before.startsWith("-") && !before.includes("=") && !flags.has(before) && before !== "--";
    if (!mayBeValue) break;
  }
  return places;
}
