import { entryOf, optionsNamed, type Reading, readCommand } from "@toolkeep/catalog";
import { readOnce } from "./read-once.ts";

/**
 * Whether the option at `index` is known to neither write, execute, load configuration nor reach out for
 * that command. A wildcard in a rule that allows covers no other options. Whatever is unknown is not.
 */
export function isHarmlessOption(argv: readonly string[], index: number): boolean {
  const [name = ""] = argv;
  return isPlain(argv, index, name, name.includes("/") ? readCommand(argv) : readOnce(argv, name));
}

/**
 * The same for a program that a rule names by its path: the options of the program with that name. A program of the
 * project with another name has those of its scripts.
 */
export function isHarmlessOptionByPath(argv: readonly string[], index: number): boolean {
  const [path = ""] = argv;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isKnown = name === path || INTERPRETERS.test(name) || entryOf(name) !== undefined;
  if (isKnown) return isPlain(argv, index, name, readOnce(argv, name));
  return !path.startsWith("/") && isScriptOption(argv[index] ?? "");
}

function isPlain(argv: readonly string[], index: number, name: string, known: Reading | undefined): boolean {
  const word = argv[index];
  if (index < 1 || word === undefined || !word.startsWith("-")) return false;
  const script = scriptAt(name, argv);
  return script > 0 && index > script ? isScriptOption(word) : known?.plain.includes(index) === true;
}

/** They take the file of a script first; the words after it are the script's own. */
const INTERPRETERS = /^(?:(?:ba|da|z|k)?sh|python[\d.]*|node|ruby|perl|php)$/;

/**
 * Where the words begin that an interpreter or a package manager hands to a script of the project: after its file or its
 * name, for some only after a `--`. 0 where it runs none.
 */
function scriptAt(name: string, argv: readonly string[]): number {
  const [, subcommand = "", script = ""] = argv;
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

function isScriptOption(word: string): boolean {
  return word === "--" || OF_SCRIPTS(word);
}

/*
 * What is handed to a script of the project, which is a test runner, a linter or a build as a rule. `--fix` and the like
 * change files of the project, as the script itself may.
 */
const OF_SCRIPTS = optionsNamed(
  "-t: -g: -i -w -q -v -x -b -s -k: --watch --watch=false --watchAll=false --no-watch --run --once --fix --write --check " +
    "--quiet --silent --verbose --bail= --ci --runInBand --coverage --coverage=false --no-coverage --passWithNoTests " +
    "--test-name-pattern= --testNamePattern= --testPathPattern= --testPathPatterns= --grep= --filter= --only= --shard= " +
    "--retry= --timeout= --testTimeout= --maxWorkers= --max-warnings= --concurrency= --forceExit --detectOpenHandles " +
    "--onlyChanged --changed= --updateSnapshot --update --no-color --color --noEmit --pretty --list --listTests " +
    "--reporter=default --reporter=verbose --reporter=dot --reporter=tap --reporter=spec --reporter=json --reporter=basic " +
    "--mode= --production --dev --debug --ext= --tb= --exitfirst --no-cache --dry-run --help --version",
);
