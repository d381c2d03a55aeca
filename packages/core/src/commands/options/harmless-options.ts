import { GIT_OPTIONS } from "./git-options.ts";
import { READER_OPTIONS } from "./reader-options.ts";
import { RUNNER_OPTIONS } from "./runner-options.ts";
import { WORDED_OPTIONS } from "./worded-options.ts";

/*
 * The notation of the tables: `-abc` are flags that may be grouped, `-n:` takes a value in the same word
 * or the next, `-w!` only in the next and stands alone, `-#` is a bare number, `--name` takes no value,
 * `--name=` may take one, `--name=text` is meant exactly so. `npm *` is what may stand before a subcommand.
 */

/** What is known of the options of one command. */
interface Options {
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly isWorded: boolean;
}

/**
 * Whether the option at `index` is known to neither write, execute, load configuration nor reach out for
 * that command. A wildcard in a rule that allows covers no other options. Whatever is unknown is not.
 */
export function isHarmlessOption(argv: readonly string[], index: number): boolean {
  const word = argv[index];
  if (index < 1 || word === undefined || !word.startsWith("-")) return false;
  const script = scriptAt(argv);
  if (script > 0 && index > script) return isScriptOption(word);
  const end = argv.indexOf("--", 1);
  if (end !== -1 && end < index) return endsOptions(argv, end);
  const launched = launchedAt(argv);
  if (launched > index) return isKnown(optionsOf("npx *"), word);
  return isHarmlessFor(argv, index, launched);
}

/**
 * The same for a program that a rule names by its path: the options of the program with that name. A program of the
 * project with another name has those of its scripts.
 */
export function isHarmlessOptionByPath(argv: readonly string[], index: number): boolean {
  const [path = "", ...rest] = argv;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === path || isKnownProgram(name)) return isHarmlessOption([name, ...rest], index);
  return !path.startsWith("/") && isScriptOption(rest[index - 1] ?? "");
}

/** Whether options of a program are known, or that it runs a script. */
export function isKnownProgram(name: string): boolean {
  return INTERPRETERS.test(name) || WITH_SUBCOMMANDS.has(name) || optionsOf(name) !== undefined;
}

function isScriptOption(word: string): boolean {
  return word === "--" || isKnown(optionsOf("script"), word);
}

/** They take the file of a script first; the words after it are the script's own. */
const INTERPRETERS = /^(?:(?:ba|da|z|k)?sh|python[\d.]*|node|ruby|perl|php)$/;

/**
 * Where the words begin that an interpreter or a package manager hands to a script of the project: after its file or its
 * name, for some only after a `--`. 0 where it runs none.
 */
function scriptAt(argv: readonly string[]): number {
  const [name = "", subcommand = "", script = ""] = argv;
  if (INTERPRETERS.test(name)) return /^[^-]/.test(subcommand) ? 1 : 0;
  if (!PACKAGE_MANAGERS.has(name)) return 0;
  const isRun = RUNS.test(subcommand) && script !== "" && !script.startsWith("-");
  if (!isRun && !TESTS_OF_SCRIPTS.test(subcommand)) return 0;
  if (name === "npm") return Math.max(argv.indexOf("--"), 0);
  return isRun ? 2 : 1;
}

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn"]);
const RUNS = /^run(?:-script)?$/;
const TESTS_OF_SCRIPTS = /^(?:test|t|start|run|run-script)$/;

/** Whether a `--` is no value of the option before it: what follows are operands, whatever they begin with. */
function endsOptions(argv: readonly string[], end: number): boolean {
  const [name = ""] = argv;
  if (!Object.hasOwn(READER_OPTIONS, name) && name !== "git") return false;
  const before = argv[end - 1] ?? "";
  if (end === 1 || !before.startsWith("-")) return true;
  const key = name === "git" ? `git ${argv[1]}` : name;
  return isHarmlessFor(argv, end - 1, 0) && !takesNext(optionsOf(key), before);
}

/** Tools that are asked for by way of something else, as in `npx tsc` and `python -m pytest`. */
const BY_NPX: ReadonlySet<string> = new Set(["tsc", "eslint", "biome", "prettier", "vitest", "jest"]);

/** Where the tool stands whose options these are. */
function launchedAt(argv: readonly string[]): number {
  const [name, first, second] = argv;
  if (name?.startsWith("python") && first === "-m" && second === "pytest") return 2;
  if (name !== "npx") return 0;
  const tool = argv.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  return BY_NPX.has(argv[tool] ?? "") ? tool : 0;
}

function isHarmlessFor(argv: readonly string[], index: number, start: number): boolean {
  const name = argv[start] ?? "";
  const word = argv[index] ?? "";
  if (name === "echo") return true;
  if (!WITH_SUBCOMMANDS.has(name)) return isKnown(optionsOf(name), word);
  const general = optionsOf(`${name} *`);
  let at = start + 1;
  while (at < index && argv[at]?.startsWith("-")) {
    if (!isKnown(general, argv[at] ?? "")) return false;
    at += takesNext(general, argv[at] ?? "") ? 2 : 1;
  }
  if (at > index) return false;
  if (at === index) return isKnown(general, word);
  const key = `${name} ${argv[at]}`;
  const deeper = at + 1 < index ? optionsOf(`${key} ${argv[at + 1]}`) : undefined;
  return isKnown(deeper ?? optionsOf(key), word);
}

function isKnown(options: Options | undefined, word: string): boolean {
  if (options === undefined) return false;
  if (word === "-" || word === "--") return true;
  if (options.words.has(word)) return true;
  if (word.startsWith("--") || options.isWorded) {
    const equals = word.indexOf("=");
    const name = options.isWorded ? word.replace(/^--/, "-") : word;
    return equals < 0 ? options.words.has(name) || options.words.has(`${name}=`) : hasValued(options, name);
  }
  if (/^-\d+$/.test(word) && options.words.has("-#")) return true;
  return isKnownGroup(options, word);
}

function hasValued(options: Options, word: string): boolean {
  return options.words.has(word.slice(0, word.indexOf("=") + 1));
}

function isKnownGroup(options: Options, word: string): boolean {
  for (const letter of word.slice(1)) {
    if (options.valued.has(letter)) return true;
    if (!options.flags.has(letter)) return false;
  }
  return true;
}

/** Whether the value of a known option is the word after it. */
function takesNext(options: Options | undefined, word: string): boolean {
  if (options === undefined) return false;
  if (word.startsWith("--")) return options.words.has(`${word}=`);
  return options.words.has(`${word}!`) || options.valued.has(word.at(-1) ?? "");
}

const TABLES = [READER_OPTIONS, GIT_OPTIONS, RUNNER_OPTIONS, WORDED_OPTIONS];

const WITH_SUBCOMMANDS: ReadonlySet<string> = new Set(
  TABLES.flatMap((table) => Object.keys(table))
    .filter((key) => key.includes(" "))
    .map((key) => key.slice(0, key.indexOf(" "))),
);

const compiled = new Map<string, Options>();

function optionsOf(key: string): Options | undefined {
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const table = TABLES.find((candidate) => Object.hasOwn(candidate, key));
  if (table === undefined) return undefined;
  const options = compileOptions(table[key] ?? "", table === WORDED_OPTIONS);
  compiled.set(key, options);
  return options;
}

function compileOptions(text: string, isWorded: boolean): Options {
  const flags = new Set<string>();
  const valued = new Set<string>();
  const words = new Set<string>();
  for (const token of text.split(" ")) {
    if (isWorded || token.startsWith("--") || token === "-#") words.add(token);
    else if (token.endsWith("!")) words.add(token).add(token.slice(0, -1));
    else if (token.endsWith(":")) valued.add(token.slice(1, -1));
    else for (const letter of token.slice(1)) flags.add(letter);
  }
  return { flags, valued, words, isWorded };
}
