import { basename, relative, resolve } from "node:path";
import { bareName, isFreeWord, isWithin } from "@toolkeep/core/internal";
import { kindAt } from "../../../files/entries.ts";
import { INSTALLED } from "./foreign-code.ts";
import { type Look, ownFile, ownModule } from "./own-files.ts";
import { handedOn, isTemporaryText, leadsOut, reachesFurther } from "./own-words.ts";
import {
  CHOOSING_PACKAGES,
  HANDING_ON,
  INTERPRETERS,
  LAUNCHERS,
  NARROWED,
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
  if (!isInProject(look.folder, look)) return undefined;
  const words = argv.slice(1).map((word) => word.slice(word.startsWith("-") ? word.indexOf("=") + 1 : 0));
  const out = words.filter((word) => leadsOut(word, look));
  if (!out.every(isTemporaryText)) return undefined;
  const files = filesRunBy(argv, look);
  return files === undefined ? undefined : { files, texts: out };
}

function isInProject(path: string, { roots }: Look): boolean {
  return roots.some((root) => isWithin(path, root) && !INSTALLED.test(relative(root, path)));
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
  return Object.hasOwn(PROJECT_TOOLS, name) || TASK_RUNNERS.has(name);
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
  const isInside = look.roots.some((root) => isWithin(path, root));
  const isActivation = basename(path) === "activate" && isEnvironment(resolve(path, "../.."));
  return more.length === 0 && isInside && isActivation && kindAt(path) === "file" ? [path] : undefined;
}

/** What a launcher, an interpreter or a package manager is given to run. */
function launched(argv: readonly string[], look: Look): readonly string[] | undefined {
  const [name = "", first = "", ...rest] = argv;
  const subcommand = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (subcommand !== undefined && (subcommand === "" || first === subcommand)) {
    const [tool = "", ...args] = subcommand === "" ? [first, ...rest] : rest;
    return /^[\w.-]+$/.test(tool) && !Object.hasOwn(LAUNCHERS, tool)
      ? filesRunBy([tool, ...args], look)
      : undefined;
  }
  return scriptRun(argv) ?? interpreted(argv, look);
}

function interpreted(argv: readonly string[], look: Look): readonly string[] | undefined {
  const [name = "", first] = argv;
  const known = INTERPRETERS.find(
    (one) => one.name.test(name) && (one.run === undefined || one.run === first),
  );
  if (known === undefined) return undefined;
  const words = argv.slice(known.run === undefined ? 1 : 2);
  const at = words.findIndex((word) => !known.options.test(word));
  const [file = "", ...args] = at === -1 ? [] : words.slice(at);
  if (file === "-m" && name.startsWith("python")) return moduleRun(args, look);
  if (file.startsWith("-") || reachesFurther(file) || !handedOn(args)) return undefined;
  const own = ownFile(file, look, known);
  return own === undefined ? undefined : [own];
}

function moduleRun([module = "", ...args]: readonly string[], look: Look): readonly string[] | undefined {
  if (isOrdinaryTool([module, ...args])) return [];
  const file = ownModule(module, look);
  return file !== undefined && !reachesFurther(module) && handedOn(args) ? [file] : undefined;
}

/** A script of a package of the workspace, whichever packages are chosen. */
function scriptRun(argv: readonly string[]): readonly string[] | undefined {
  const [name = "", ...words] = argv;
  if (!/^(?:npm|pnpm|yarn)$/.test(name)) return undefined;
  let at = 0;
  while (words[at]?.startsWith("-") === true) {
    if (CHOOSING_PACKAGES.valued.test(words[at] ?? "") && words[at + 1]?.startsWith("-") === false) at += 2;
    else if (CHOOSING_PACKAGES.single.test(words[at] ?? "")) at += 1;
    else return undefined;
  }
  const [command = "", script = ""] = words.slice(at);
  const isRun = command === "run" && /^\w/.test(script) && script !== "env";
  const isNamed = name === "npm" ? /^(?:test|t|start)$/.test(command) : SCRIPT_NAMES.test(command);
  const plain = [name, ...words.slice(at)];
  return (isRun || isNamed) && !reachesFurther(isRun ? script : command) && areFree(plain) ? [] : undefined;
}

/** Whether a tool is given nothing but what it checks, builds or tests, in words that are known. */
function isOrdinaryTool(argv: readonly string[]): boolean {
  const [name = ""] = argv;
  const end = HANDING_ON.has(name) ? argv.indexOf("--") : -1;
  const [words, further] = end === -1 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  if (!areFree(words) || !handedOn(further)) return false;
  if (TASK_RUNNERS.has(name)) return !words.slice(1).some(reachesFurther);
  const subcommands = Object.hasOwn(PROJECT_TOOLS, name) ? PROJECT_TOOLS[name] : undefined;
  if (subcommands === undefined || subcommands === "") return subcommands === "";
  const [, subcommand = "", next = ""] = words;
  const narrowed = NARROWED[`${name} ${subcommand}`];
  return subcommands.split(" ").includes(subcommand) && narrowed?.test(next) !== false;
}

function areFree(argv: readonly string[]): boolean {
  return argv.every((_word, index) => index === 0 || isFreeWord(argv, index));
}
