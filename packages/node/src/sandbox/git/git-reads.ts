import { dirname, resolve } from "node:path";
import { expression, GIT_COMMANDS, rowsByName } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths } from "@toolkeep/core/ports";
import { readSmallFile } from "../../files/read-small-file.ts";
import { blankedSettings } from "../../git/blanked-settings.ts";
import { gitArgs, gitCalls } from "../../git/git-calls.ts";
import { gitStates, repositoryTop } from "../../git/git-states.ts";
import { isSecretKind } from "../scan/find.ts";
import { scan } from "../scan/scan.ts";
import { MOST_FOLDERS } from "../scan/walk-folders.ts";

/** Marks the effects that open a file to all commands of the session. */
const NOTE = "git reads it: it is in the index, and differs from what is recorded there";

/** Whether a call was allowed to read this because git must, which holds for the commands after it. */
export function isGitRead({ capability, note }: Effect): boolean {
  return capability === "fs.read" && note === NOTE;
}

/**
 * The files that git commands in a sandbox must read and would find hidden: tracked ones with names of secrets whose
 * bytes git has not recorded. Only commands that compare or record such files are meant, so that no other command is
 * asked about. A file that the rules protect stays hidden: a deny of it does not deny the command.
 */
export async function gitReads(
  { commands, folder = "/" }: LineOnDisk,
  { roots, isProtected }: ProtectedPaths,
  isOpen: (path: string) => boolean,
): Promise<readonly Effect[]> {
  const uses = gitUses(
    commands.map(({ argv }) => argv),
    folder,
  );
  if (uses.length === 0) return [];
  const isVisible = (path: string) => roots.some((root) => isWithin(path, root));
  const modified = (await modifiedSecrets(roots, isVisible)).filter((path) => !isProtected(path));
  const top = (at: string) => repositoryTop(at, isVisible);
  return modified.flatMap((target): readonly Effect[] => {
    // Settings without secrets in them are shown as they are.
    const isReadable = isOpen(target) || isWithoutSecrets(target);
    const needed = uses.filter((use) => use.isMeant(target) && top(use.folder) === top(dirname(target)));
    const read: Effect = { capability: "fs.read", target, known: "inferred", note: NOTE };
    return [
      ...(needed.length > 0 && !isReadable ? [read] : []),
      ...(needed.some(({ isReset }) => isReset) ? [{ ...read, capability: "fs.write" }] : []),
    ];
  });
}

async function modifiedSecrets(
  roots: readonly string[],
  isVisible: (path: string) => boolean,
): Promise<readonly string[]> {
  const finds = await scan(roots, { mostFolders: MOST_FOLDERS }).catch(() => []);
  const files = finds
    .filter(({ kind, type }) => isSecretKind(kind) && type === "file")
    .map(({ path }) => path);
  const states = gitStates([...new Set(files)], isVisible);
  return [...states].filter(([, state]) => state === "modified").map(([path]) => path);
}

function isWithoutSecrets(path: string): boolean {
  if (!path.endsWith("/.npmrc")) return false;
  try {
    const bytes = readSmallFile(path, { mostBytes: 65_536, followsLinks: false })?.bytes;
    return bytes !== undefined && blankedSettings(bytes) === bytes.toString();
  } catch {
    return false;
  }
}

/** A git command that reads files of the worktree, and which of them. */
interface GitUse {
  readonly folder: string;
  /** It puts back what is recorded. */
  readonly isReset: boolean;
  isMeant(path: string): boolean;
}

function gitUses(commands: readonly (readonly string[])[], start: string): readonly GitUse[] {
  return gitCalls(commands, start).flatMap(({ subcommand, rest, folder }) => {
    const paths = pathsRead(subcommand, rest);
    if (paths === undefined) return [];
    return [{ folder, isReset: RESETTING.has(subcommand), isMeant: pathspec(paths, folder) }];
  });
}

/** They put back what is recorded. Without paths, `checkout` takes another branch and leaves what it cannot write. */
const RESETTING: ReadonlySet<string> = new Set(["stash", "checkout", "restore", "reset"]);

/** The paths that a command reads in the worktree, none for all of it; `undefined` if it reads nothing there. */
function pathsRead(subcommand: string, rest: readonly string[]): readonly string[] | undefined {
  const { options, operands, paths } = gitArgs(rest, VALUES[subcommand] ?? NO_VALUES);
  const has = (option: RegExp) => options.some((one) => option.test(one));
  switch (subcommand) {
    case "add":
      return operands;
    case "commit":
      if (operands.length > 0) return operands;
      return has(/^(?:--all|--patch|--interactive|-[^-mFCct]*[ap].*)$/) ? [] : undefined;
    case "stash":
      return STASHING.has(operands[0] ?? "push") ? operands.slice(1) : undefined;
    case "diff":
      // What is before `--` may be revisions.
      return has(/^--(?:cached|staged|no-index)$/) ? undefined : paths;
    case "checkout":
      return someOf(rest.includes("--") ? paths : operands.filter((one) => PLAIN.test(one)));
    case "restore":
      return has(/^(?:-S|--staged)$/) && !has(/^(?:-W|--worktree)$/) ? undefined : someOf(operands);
    case "reset":
      return has(/^--(?:hard|merge|keep)$/) ? [] : undefined;
    default:
      return undefined;
  }
}

function someOf(paths: readonly string[]): readonly string[] | undefined {
  return paths.length === 0 ? undefined : paths;
}

const STASHING: ReadonlySet<string> = new Set(["push", "save", "--"]);
const NO_VALUES = /^$/;
const VALUES = rowsByName(GIT_COMMANDS.readValues, expression);

const PLAIN = /^[\w.@+/-]+$/;
const EXCLUDED = /^:(?:!|\^|\(exclude\))([\w.@+/-]+)$/;

/** What some pathspecs mean; in doubt everything. */
function pathspec(paths: readonly string[], folder: string): (path: string) => boolean {
  const excluded = paths.flatMap((one) => EXCLUDED.exec(one)?.[1] ?? []).map((one) => resolve(folder, one));
  const chosen = paths.filter((one) => !EXCLUDED.test(one));
  const isClear = chosen.length > 0 && chosen.every((one) => PLAIN.test(one));
  return (path) =>
    (!isClear || chosen.some((one) => isWithin(path, resolve(folder, one)))) &&
    !excluded.some((one) => isWithin(path, one));
}
