import { splitCommand } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { opensFiles, pathsInCommand, pathsInLine, programOf } from "./command-args.ts";
import {
  ONLY_NAMES,
  PATCH,
  QUIET_GIT,
  SEARCHING,
  SHOWING_GIT,
  SHOWS_NOTHING,
  TREE_PROGRAMS,
  TREES_IN_LINE,
} from "./tree-reading-programs.ts";

/**
 * The files and trees (`…/**`) that a call may read, as far as its effects and the words of its commands tell, with the
 * effect that tells it. In doubt a word is a path. Code that a command runs may read more.
 */
export function* readPaths(
  effects: readonly CanonicalEffect[],
  roots: readonly string[],
): Generator<{ readonly effect: CanonicalEffect; readonly path: string }> {
  let folders: readonly string[] | undefined;
  for (const effect of effects) {
    if (effect.capability === "fs.read") yield { effect, path: effect.target };
    if (!effect.capability.startsWith("shell.")) continue;
    folders ??= startingFolders(effects, roots);
    for (const path of pathsOf(effect, folders)) yield { effect, path };
  }
}

/** Where relative paths may start: in the roots, and where a command of the line moves to. */
function startingFolders(effects: readonly CanonicalEffect[], roots: readonly string[]): readonly string[] {
  const moves = effects.flatMap(({ capability, target }) => {
    const [program, folder = ""] = capability === "shell.run" ? splitCommand(target) : [];
    return program === "cd" && folder !== "" ? [folder] : [];
  });
  const moved = moves.flatMap((folder) => roots.flatMap((root) => joined(root, folder)));
  return [...new Set([...roots, ...moved])];
}

function* pathsOf({ capability, target }: CanonicalEffect, folders: readonly string[]): Generator<string> {
  const isPlain = capability === "shell.run";
  const argv = isPlain ? splitCommand(target) : [];
  if (isPlain && (!opensFiles(argv) || showsNothing(argv))) return;
  const isTree = isPlain ? readsTrees(argv) : TREES_IN_LINE.test(target);
  // All of them, so that none hides behind the others: the pipeline bounds the length of a target.
  const words = isPlain ? pathsInCommand(argv) : pathsInLine(target);
  for (const word of new Set(words)) {
    if (word.startsWith("-") || word.startsWith("~")) continue;
    for (const folder of folders) {
      for (const path of joined(folder, word)) {
        yield path;
        if (isTree) yield `${path === "/" ? "" : path}/**`;
      }
    }
  }
  if (isTree && (!isPlain || readsWhereItIs(argv)))
    for (const folder of folders) yield `${folder === "/" ? "" : folder}/**`;
}

/** What these name is changed, and nothing of its content is shown or copied. */
function showsNothing(argv: readonly string[]): boolean {
  const program = programOf(argv);
  return SHOWS_NOTHING.has(program) || (program === "git" && QUIET_GIT.has(argv[1] ?? ""));
}

/** A search, and git where it shows what files hold. Names of files are no content. */
function readsTrees(argv: readonly string[]): boolean {
  const program = programOf(argv);
  if (program === "git") return gitShowsContent(argv);
  if (program === "find") return argv.some((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  if (/^[ef]?grep$/.test(program))
    return argv.some((word) => /^-[a-zA-Z]*[rR]|^--(?:rec|der|directories=recurse)/.test(word));
  return TREE_PROGRAMS.has(program);
}

/** A search without a path, one whose paths cannot be told from what it looks for, and git without `-- path`. */
function readsWhereItIs(argv: readonly string[]): boolean {
  const program = programOf(argv);
  if (program === "git") return !argv.includes("--") || argv.at(-1) === "--";
  if (program === "xargs" || program === "parallel") return true;
  if (!SEARCHING.has(program)) return false;
  const isUnclear = argv.some((word) => /^-[a-zA-Z]*[ef]|^--(?:regexp|file)/.test(word));
  return isUnclear || !pathsInCommand(argv).some((word) => !word.startsWith("-"));
}

function gitShowsContent(argv: readonly string[]): boolean {
  const words = argv.slice(1);
  const isPatch = words.some((word) => PATCH.test(word));
  const at = words.findIndex(
    (word, index) =>
      !word.startsWith("-") && !/^-(?:C|c)$|^--(?:git-dir|work-tree|namespace)$/.test(words[index - 1] ?? ""),
  );
  const command = words[at] ?? "";
  if (command === "log" || command === "reflog" || command === "stash")
    return words.slice(at + 1).some((word) => PATCH.test(word));
  if (!SHOWING_GIT.has(command)) return false;
  return isPatch || !words.some((word) => ONLY_NAMES.test(word));
}

/** The path from a folder, without `.` and `..`. What climbs above the root is none. */
function joined(folder: string, word: string): readonly string[] {
  const path = word.startsWith("/") ? word : `${folder}/${word}`;
  if (!path.startsWith("/") || path.length > 4_096) return [];
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return [`/${kept.join("/")}`];
}
