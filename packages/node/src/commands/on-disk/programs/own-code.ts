import { basename, resolve } from "node:path";
import { readCommand } from "@toolkeep/catalog";
import { bareName, isFreeWord, isWithin } from "@toolkeep/core/internal";
import { kindAt, realOf } from "../../../files/entries.ts";
import { isOwn, type Look } from "./foreign-code.ts";
import { ownFile } from "./own-files.ts";
import { handedOn, isTemporaryText, outsideOf, reachesFurther } from "./own-words.ts";
import {
  CHECKED_OPTIONS,
  CHOOSING_PACKAGES,
  COMMAND_WORDS,
  FOLDER_OPTIONS,
  GOALS,
  HANDING_ON,
  INTERPRETERS,
  type Interpreter,
  LAUNCHERS,
  NARROWED,
  OBSERVERS,
  PROJECT_TOOLS,
  SCRIPT_NAMES,
  TASK_RUNNERS,
} from "./project-tools.ts";

/** A command that runs what is in the project, and nothing that it is given from elsewhere. */
export interface OwnCode {
  /** The files that it names to be run. */
  readonly files: readonly string[];
  /** Temporary texts that it reads or writes. */
  readonly texts: readonly string[];
}

/**
 * What a command runs if that is the project's own: a tool that works on the project, a script of a package, or a file,
 * by itself or by its interpreter. `undefined` where a word may make it run, read or write something else.
 */
export function ownCode(argv: readonly string[], look: Look): OwnCode | undefined {
  if (!isOwn(look.folder, look)) return undefined;
  const out = argv.slice(1).flatMap((word) => outsideOf(word, look));
  if (!out.every(isTemporaryText)) return undefined;
  const files = filesRunBy(...inFolder(argv, look));
  return files === undefined ? undefined : { files, texts: out };
}

/** `make -C sub test` is `make test` there. */
function inFolder(argv: readonly string[], look: Look): [argv: readonly string[], look: Look] {
  const [name = "", option = "", folder, ...rest] = argv;
  const known = Object.hasOwn(FOLDER_OPTIONS, name) ? FOLDER_OPTIONS[name]?.split(" ") : undefined;
  if (known?.includes(option) !== true || folder === undefined) return [argv, look];
  const there = realOf(resolve(look.folder, folder));
  return isOwn(there, look) ? [[name, ...rest], { ...look, folder: there }] : [argv, look];
}

/** The files that a command names and runs; `undefined` if it is not known to run the project's own code alone. */
function filesRunBy(argv: readonly string[], look: Look): readonly string[] | undefined {
  const [given = "", ...args] = argv;
  if (given === "source" || given === ".") return activated(args, look);
  const isTool = !given.includes("/") || isToolPath(given, look);
  const name = bareName(given);
  const own = isTool ? undefined : ownFile(given, look);
  if (own !== undefined && !isKnownTool(name))
    return handedOn(args) && !reachesFurther(given) ? [own] : undefined;
  if (!isTool && own === undefined) return undefined;
  return launched([name, ...args], look) ?? (isOrdinaryTool([name, ...args]) ? [] : undefined);
}

function isKnownTool(name: string): boolean {
  return [PROJECT_TOOLS, GOALS].some((table) => Object.hasOwn(table, name)) || TASK_RUNNERS.has(name);
}

/** A program that was installed for the project, or for the system. */
function isToolPath(given: string, look: Look): boolean {
  if (/^\/usr\/(?:local\/)?bin\/[^/]+$/.test(given)) return true;
  const path = resolve(look.folder, given);
  if (!look.roots.some((root) => isWithin(path, root)) || kindAt(path) === undefined) return false;
  if (/\/(?:node_modules\/\.bin|vendor\/bin)\/[^/]+$/.test(path)) return true;
  return /\/bin\/[^/]+$/.test(path) && isEnvironment(resolve(path, "../.."));
}

/** A virtual environment of Python. */
function isEnvironment(folder: string): boolean {
  return kindAt(resolve(folder, "pyvenv.cfg")) === "file";
}

function activated([file = "", ...more]: readonly string[], look: Look): readonly string[] | undefined {
  const path = resolve(look.folder, file);
  const isActivation = basename(path) === "activate" && isToolPath(file, look);
  return isActivation && more.length === 0 && isEnvironment(resolve(path, "../..")) ? [path] : undefined;
}

/** What a launcher, an interpreter or a package manager is given to run. */
function launched(argv: readonly string[], look: Look): readonly string[] | undefined {
  const [name = "", ...words] = argv;
  const subcommand = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  const [tool = "", ...args] = subcommand === "" ? words : words.slice(1);
  const isLaunched = subcommand !== undefined && (subcommand === "" || words[0] === subcommand);
  const [direct = ""] = words;
  if (/^(?:pnpm|yarn)$/.test(name) && isKnownTool(direct) && isOrdinaryTool(words)) return [];
  if (isLaunched && /^[\w-]+$/.test(tool) && !Object.hasOwn(LAUNCHERS, tool))
    return filesRunBy([tool, ...args], look);
  const inner = OBSERVERS.has(name) || OBSERVERS.has(`${name} ${direct}`) ? innerCommand(argv) : undefined;
  if (inner !== undefined) return filesRunBy(inner, look);
  return scriptRun(argv) ?? interpreted(argv, look);
}

/** What an observer runs by its entry, where none of its own options writes, or changes what it runs. */
function innerCommand(argv: readonly string[]): readonly string[] | undefined {
  const { runs = [], plain = [] } = readCommand(argv) ?? {};
  const [inner = []] = runs;
  const own = argv.slice(0, argv.length - inner.length);
  const isPlain = own.every((word, index) => !/^-./.test(word) || word === "--" || plain.includes(index));
  return runs.length === 1 && isPlain ? inner : undefined;
}

function interpreted(argv: readonly string[], look: Look): readonly string[] | undefined {
  const [name = "", first] = argv;
  const known = INTERPRETERS.find(
    (one) => one.name.test(name) && (one.run === undefined || one.run.test(first ?? "")),
  );
  if (known === undefined) return undefined;
  const words = argv.slice(known.run === undefined ? 1 : 2);
  if (/^(?:--version|-V)$/.test(words.join(" "))) return [];
  const at = words.findIndex((word) => !known.options.test(word));
  const [file = "", ...args] = at === -1 ? [] : words.slice(at);
  if (file === "-m" && /^(?:python|coverage)/.test(name)) return moduleRun(args, look, known);
  if (file.startsWith("-") || reachesFurther(file) || !handedOn(args)) return undefined;
  const own = ownFile(file, look, known);
  return own === undefined ? undefined : [own];
}

function moduleRun(
  [module = "", ...args]: readonly string[],
  look: Look,
  python: Interpreter,
): readonly string[] | undefined {
  if (isOrdinaryTool([module, ...args])) return [];
  if (!/^\w+(?:\.\w+)*$/.test(module) || reachesFurther(module) || !handedOn(args)) return undefined;
  const path = module.replaceAll(".", "/");
  const file = ownFile(`${path}.py`, look, python) ?? ownFile(`${path}/__main__.py`, look, python);
  return file === undefined ? undefined : [file];
}

/** A script of a package of the workspace, whichever packages are chosen. */
function scriptRun(argv: readonly string[]): readonly string[] | undefined {
  const [name = "", ...words] = argv;
  const choosing = Object.hasOwn(CHOOSING_PACKAGES, name) ? CHOOSING_PACKAGES[name] : undefined;
  if (choosing === undefined) return undefined;
  const { valued, single } = choosing;
  const at = words.findIndex(
    (word, index) => !single.test(word) && !valued.test(word) && !valued.test(words[index - 1] ?? ""),
  );
  const [command = "", script = ""] = at === -1 ? [] : words.slice(at);
  // The others also start programs and files by these words.
  const isScript = /^p?npm$/.test(name) ? /^\w/.test(script) && script !== "env" : SCRIPT_NAMES.test(script);
  const isRun = command === "run" && isScript;
  const isNamed = /^(?:npm|bun)$/.test(name)
    ? /^(?:test|t|start)$/.test(command)
    : SCRIPT_NAMES.test(command);
  const plain = [name, ...words.slice(at)];
  return (isRun || isNamed) && !reachesFurther(isRun ? script : command) && areFree(plain) ? [] : undefined;
}

/** Whether a tool is given nothing but what it checks, builds or tests, in words that are known. */
function isOrdinaryTool(argv: readonly string[]): boolean {
  const [name = ""] = argv;
  if (!isKnownTool(name)) return false;
  const end = HANDING_ON.has(name) ? argv.indexOf("--") : -1;
  const words = withoutChecked(end === -1 ? argv : argv.slice(0, end));
  const further = end === -1 ? [] : argv.slice(end + 1);
  if (!areFree(words) || !handedOn(further)) return false;
  if (TASK_RUNNERS.has(name)) return areTasks(words.slice(1));
  const operands = words.slice(1).filter((word) => !word.startsWith("-"));
  const goals = GOALS[name];
  if (goals !== undefined) return operands.length > 0 && operands.every((word) => goals.test(word));
  const subcommands = PROJECT_TOOLS[name] ?? "";
  if (subcommands === "") return true;
  const [subcommand = "", next = ""] = operands;
  const narrowed = NARROWED[`${name} ${subcommand}`];
  return subcommands.split(" ").includes(subcommand) && narrowed?.test(next) !== false;
}

/** Without a name it is the first task of a file, which may be any. */
function areTasks(words: readonly string[]): boolean {
  const isTask = (word: string) => !word.startsWith("-") && /[a-z]/i.test(word);
  return words.some(isTask) && !words.some((word) => reachesFurther(word) || COMMAND_WORDS.has(word));
}

/** Without the options whose values were looked at and are ordinary. */
function withoutChecked(argv: readonly string[]): readonly string[] {
  const [name = "", subcommand = ""] = argv;
  const options = CHECKED_OPTIONS[`${name} ${subcommand}`] ?? CHECKED_OPTIONS[name] ?? {};
  const isOrdinary = (option: string, value: string | undefined) =>
    value !== undefined && Object.hasOwn(options, option) && options[option]?.test(value) === true;
  return argv.filter((word, index) => {
    const [, option = "", value] = /^(-[^=]+)=(.*)$/s.exec(word) ?? [];
    const isValue = isOrdinary(argv[index - 1] ?? "", word);
    return !isValue && !isOrdinary(option, value) && !isOrdinary(word, argv[index + 1]);
  });
}

function areFree(argv: readonly string[]): boolean {
  return argv.every((_word, index) => index === 0 || isFreeWord(argv, index));
}
