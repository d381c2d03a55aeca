import { entryOf, readCommand } from "@toolkeep/catalog";
import { expression, PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { readOnce } from "./read-once.ts";

/**
 * Whether the option at `index` is known to neither write, execute, load configuration nor reach out for
 * that command. A wildcard in a rule that allows covers no other options. Whatever is unknown is not. A program that is
 * named by its path has the options of the one with that name; another one of the project has those of its scripts.
 */
export function isHarmlessOption(argv: readonly string[], index: number): boolean {
  const [path = ""] = argv;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isKnown = name === path || INTERPRETERS.test(name) || entryOf(name) !== undefined;
  if (isKnown) return isPlain(argv, index, name);
  return !path.startsWith("/") && isScriptOption(argv[index] ?? "");
}

function isPlain(argv: readonly string[], index: number, name: string): boolean {
  const word = argv[index];
  if (index < 1 || word === undefined || !word.startsWith("-")) return false;
  const script = scriptAt(name, argv);
  return script > 0 && index > script ? isScriptOption(word) : readOnce(argv, name).plain.has(index);
}

/** They take the file of a script first; the words after it are the script's own. */
const INTERPRETERS = expression(PROGRAM_KINDS.scriptInterpreters);

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

const PACKAGE_MANAGERS = wordsIn(PROGRAM_KINDS.scriptManagers);
const RUNS = /^run(?:-script)?$/;
const TESTS_OF_SCRIPTS = /^(?:test|t|start|run|run-script)$/;

/**
 * Whether a script of the project, which is a test runner, a linter or a build as a rule, takes it. `--fix` and the like
 * change files of the project, as the script itself may.
 */
function isScriptOption(word: string): boolean {
  return readCommand(["package-script", word])?.plain.includes(1) === true;
}
