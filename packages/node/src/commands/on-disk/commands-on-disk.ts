import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import { isWithin, systemName } from "@toolkeep/core/internal";
import {
  commandEffects,
  type LineOnDisk,
  type ProtectedPaths,
  type SimpleCommand,
} from "@toolkeep/core/ports";
import { canonicalPath } from "../../files/canonical-path.ts";
import { kindAt, MOST_ENTRIES, newBudget, realOf, TooMany } from "../../files/entries.ts";
import { emptiedOnDisk } from "./git/emptied-on-disk.ts";
import { type GitLook, gitOnDisk } from "./git/git-on-disk.ts";
import { absentNames } from "./names/absent-names.ts";
import { expandedArgs, withStrayArgs } from "./names/expand-args.ts";
import { absolute, foldersOf, ledTo } from "./names/moved-folder.ts";
import { chosenBy } from "./programs/chosen-program.ts";
import { downloadedTool } from "./programs/downloaded-tool.ts";
import { foreignCode } from "./programs/foreign-code.ts";
import { scriptsOnDisk } from "./programs/scripts-run.ts";
import { treeReadOf } from "./trees/tree-reads.ts";
import { findsBeneath, isGuarded, oddNames } from "./trees/walk-tree.ts";

const NOTHING: ProtectedPaths = { roots: [], isProtected: () => false };
const MOST_EFFECTS = 64;

/**
 * What a command line does on this disk beyond what its args say, for a machine without a sandbox: what its patterns
 * match, where links lead, what is in trees that it reads, and what git uses and runs. Only what rules or watchdogs may
 * object to is named. It reads, and starts nothing.
 */
export async function commandsOnDisk(
  { line, commands, folder = "/" }: LineOnDisk,
  { roots, isProtected }: ProtectedPaths = NOTHING,
): Promise<readonly Effect[]> {
  const look = { folder, roots, isProtected, budget: newBudget(), home: homedir(), odd: oddIn(commands) };
  const effects = new Map<string, Effect>();
  try {
    const folders = await foldersOf(commands, await canonicalPath(folder));
    let activated: string | undefined;
    for (const [index, command] of commands.entries()) {
      const at = folders[index] ?? folder;
      for (const effect of await effectsOf(command, line, { ...look, folder: at, activated }))
        effects.set(`${effect.capability} ${effect.target} ${effect.implied === true}`, effect);
      activated = activatedBy(command, at) ?? activated;
    }
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
    effects.set("too many", {
      capability: "shell.dynamic",
      target: line,
      known: "inferred",
      note: tooMany(error),
    });
  }
  const found = [...effects.values()];
  const further = [
    ...(await scriptsOnDisk({ line, commands, folder }, { roots })),
    ...(await emptiedOnDisk({ line, commands, folder }, { roots })),
    ...(await absentNames({ line, commands, folder }, { roots })),
  ];
  if (found.length <= MOST_EFFECTS) return [...found, ...further];
  const note = "It reads more protected files than are named one by one.";
  return [
    ...found.slice(0, MOST_EFFECTS),
    ...further,
    { capability: "shell.dynamic", target: line, known: "inferred", note },
  ];
}

/** Names that `xargs` takes for options, and takes apart where they are not separated by zeros. */
function oddIn(commands: readonly SimpleCommand[]): RegExp | undefined {
  const given = commands.filter(({ argv: [name = ""] }) => /(?:^|\/)xargs$/.test(name));
  if (given.length === 0) return undefined;
  return given.every(({ argv }) => /^-\w*0|^--null$/.test(argv[1] ?? "")) ? /^-/ : /^-|[\s'"\\]/;
}

/** A rule can allow it, and a smaller search needs none. */
function tooMany({ message: folder }: TooMany): string {
  return (
    `It would look through more than ${MOST_ENTRIES.toLocaleString("en")} files at ${JSON.stringify(folder)}, too many to ` +
    "check for protected ones. Name a folder below it, or use `rg`, which skips what git ignores."
  );
}

/** The programs of a virtual environment come first from here on. */
function activatedBy({ argv: [name, file = ""] }: SimpleCommand, folder: string): string | undefined {
  return name === "source" || name === "." ? dirname(resolve(folder, file)) : undefined;
}

type Look = GitLook & { readonly activated: string | undefined };

async function effectsOf(command: SimpleCommand, line: string, look: Look): Promise<readonly Effect[]> {
  const argv = expandedArgs(command, look.folder, look.budget);
  const [name = "", ...args] = argv;
  const bare = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const chosen = chosenBy(argv, look);
  const started = chosen === undefined ? [] : [takesProgram(chosen, argv)];
  if (bare === "git") return [...started, ...(await gitOnDisk(args, look))];
  return [
    ...started,
    ...downloadedTool(argv, look),
    ...(await foreignCode(argv, look)),
    ...(await namedFiles(command, argv, look)),
    ...strayChanges(command, look),
    ...treesOf(argv, bare === "rg" && isFed(line), look),
  ];
}

/** What it changes that its patterns do not tell. */
function strayChanges(command: SimpleCommand, { folder, budget }: GitLook): readonly Effect[] {
  if (command.expands === undefined || changesOf(command).length === 0) return [];
  const stray = withStrayArgs(command, folder, budget);
  if (stray === undefined) return [];
  return changesOf(stray).map((effect) => ({
    ...effect,
    target: resolve(folder, effect.target),
    implied: true,
  }));
}

function changesOf(command: SimpleCommand): readonly Effect[] {
  const effects = commandEffects({ plain: false, reason: "", commands: [command] }, "");
  return effects.filter(({ capability }) => capability === "fs.write" || capability === "fs.delete");
}

/** Whether ripgrep searches its input here: every time that it is named, a pipe leads to it. */
function isFed(line: string): boolean {
  const named = line.match(/\brg\b/g)?.length ?? 0;
  return named > 0 && line.match(/(?<!\|)\|\s*rg\b/g)?.length === named;
}

function takesProgram(file: string, argv: readonly string[]): Effect {
  const note = `the project says by ${JSON.stringify(file)} which program \`${argv[0]}\` is`;
  return { capability: "shell.dynamic", target: argv.join(" "), known: "inferred", note };
}

/** What args name: a file that matches a pattern, and the target of a link that leads out. */
async function namedFiles(
  { argv: given }: SimpleCommand,
  argv: readonly string[],
  look: GitLook,
): Promise<readonly Effect[]> {
  // What was written out is known by its name, except for what looks like an exclusion.
  const written = new Set(given);
  const isNew = (arg: string) =>
    !written.has(arg) || (/^[!:]/.test(arg) && kindAt(resolve(look.folder, arg)) !== undefined);
  const namesOnly = NAMES_ONLY.has(systemName(given[0] ?? ""));
  const isInside = (path: string) => look.roots.some((root) => isWithin(path, root));
  const follow = folderByFolder(look.folder);
  const effects: Effect[] = [];
  for (const arg of argv.slice(1))
    for (const named of pathsIn(arg)) {
      const path = resolve(look.folder, named);
      const led = await follow(named);
      if (led === undefined) continue;
      if (isInside(path) && !isInside(led)) effects.push(read(led));
      else if (!namesOnly && isNew(arg) && (isGuarded(led, look) || (led !== path && isGuarded(path, look))))
        effects.push({ ...read(led), implied: true }, { ...read(path), implied: true });
    }
  return effects;
}

/** Follows links in args; each folder once, because patterns match many files of the same folder. */
function folderByFolder(folder: string): (named: string) => Promise<string | undefined> {
  const known = new Map<string, string | undefined>();
  return async (named) => {
    const full = absolute(named, folder);
    const at = full.lastIndexOf("/");
    const [above, name] = [full.slice(0, at) || "/", full.slice(at + 1)];
    if (name === "" || name === "." || name === ".." || kindAt(full) === "link") return ledTo(full);
    if (!known.has(above)) known.set(above, await ledTo(above));
    const led = known.get(above);
    return led === undefined ? undefined : join(led, name);
  };
}

/** They show that a file is there, and nothing of what is in it. */
const NAMES_ONLY = wordsIn(PROGRAM_KINDS.namesOnly);

function read(target: string): Effect {
  return { capability: "fs.read", target, known: "inferred" };
}

/** An arg, and the value that an option has in the same arg. */
function pathsIn(arg: string): readonly string[] {
  if (arg === "" || arg.length > 4_096) return [];
  if (!arg.startsWith("-")) return arg.includes("=") ? [arg, arg.slice(arg.indexOf("=") + 1)] : [arg];
  return arg.includes("=") ? [arg.slice(arg.indexOf("=") + 1)] : [];
}

/** Without a path it is the working directory, unless it searches its input. */
function treesOf(argv: readonly string[], isFed: boolean, look: GitLook): readonly Effect[] {
  const reading = treeReadOf(argv);
  if (reading === undefined) return [];
  const here = isFed ? [] : ["."];
  return (reading.folders.length === 0 ? here : reading.folders)
    .map((folder) => realOf(resolve(look.folder, folder)))
    .filter((folder) => kindAt(folder) === "folder" && look.roots.some((root) => isWithin(folder, root)))
    .flatMap((folder) => {
      const { files, outside, odd } = findsBeneath(folder, reading, look);
      const whole: Effect = { ...read(folder), implied: true };
      return [
        whole,
        ...files.map((file): Effect => ({ ...read(file), implied: true })),
        ...outside.map(read),
        ...oddNames(odd, look),
      ];
    });
}
