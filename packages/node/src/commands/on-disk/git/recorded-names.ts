import { join, resolve } from "node:path";
import { GIT_COMMANDS, PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { createRedactor, type Effect } from "@toolkeep/core";
import {
  bareName,
  isSecretFile,
  isWithin,
  joinCommand,
  secretsIn,
  systemName,
} from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths, SimpleCommand } from "@toolkeep/core/ports";
import { kindAt } from "../../../files/entries.ts";
import { readSmallFile } from "../../../files/read-small-file.ts";
import { blankedSettings } from "../../../git/blanked-settings.ts";
import { gitStates, repositoryTop } from "../../../git/git-states.ts";
import { foldersOf, ledTo } from "../names/moved-folder.ts";

/**
 * Commands that print files with names of secrets, and nothing secret: git has recorded exactly these bytes, so that
 * every command in the sandbox can read them, and nothing in them looks like a secret. Each is the effect of the
 * command again, with that said.
 */
export async function recordedNames(
  { commands, folder = "/" }: LineOnDisk,
  session: ProtectedPaths,
): Promise<readonly Effect[]> {
  const naming = commands.filter(({ argv }) => secretsIn(argv).length > 0);
  if (naming.length === 0) return [];
  // A `cd` may fail, so a name must be harmless wherever the line may be.
  const look = { ...session, folders: [...new Set([folder, ...(await foldersOf(commands, folder))])] };
  const effects: Effect[] = [];
  for (const { argv } of naming.filter(isPrinting)) {
    const found = await withoutRecorded(argv, look);
    if (secretsIn(found.argv).length > 0) continue;
    effects.push(withoutSecrets("shell.run", joinCommand(argv)));
    // Git reads what it keeps itself.
    if (argv[0] !== "git") effects.push(...found.paths.map((path) => withoutSecrets("fs.read", path)));
  }
  return effects;
}

function withoutSecrets(capability: string, target: string): Effect {
  return { capability, target, known: "inferred", implied: true, withoutSecrets: true };
}

interface Look extends ProtectedPaths {
  readonly folders: readonly string[];
}

const PRINTING = wordsIn(PROGRAM_KINDS.printing);
const PRINTING_GIT = wordsIn(GIT_COMMANDS.printing);

function isPrinting({ argv, expands = [] }: SimpleCommand): boolean {
  const [path = "", subcommand = ""] = argv;
  const name = systemName(path);
  if (expands.length > 0 || bareName(name) !== name) return false;
  return name === "git" ? path === name && PRINTING_GIT.has(subcommand) : PRINTING.has(name);
}

const PLAIN = /^[\w.@+/][\w.@+/-]*$/;
/** The commit that the files are compared with; others may hold what was removed since. */
const COMMITTED = /^HEAD:(?=[\w.@+])/;

async function withoutRecorded(args: readonly string[], look: Look) {
  const argv: string[] = [];
  const paths: string[] = [];
  for (const arg of args) {
    const recorded = isSecretFile(arg.replace(COMMITTED, ""))
      ? await recordedPaths(arg, args[0] === "git", look)
      : undefined;
    argv.push(recorded === undefined ? arg : "recorded");
    paths.push(...(recorded ?? []));
  }
  return { argv, paths };
}

/** The files that an argument may mean; `undefined` if one of them may hold a secret. */
async function recordedPaths(
  arg: string,
  isGit: boolean,
  look: Look,
): Promise<readonly string[] | undefined> {
  const isCommitted = isGit && COMMITTED.test(arg);
  const name = isCommitted ? arg.replace(COMMITTED, "") : arg;
  if (!PLAIN.test(name)) return undefined;
  const isInside = (path: string) => look.roots.some((root) => isWithin(path, root));
  const starts = isCommitted
    ? look.folders.map((folder) => repositoryTop(folder, isInside) ?? "")
    : look.folders;
  if (starts.includes("")) return undefined;
  const paths = [...new Set(starts.map((start) => (isCommitted ? join(start, name) : resolve(start, name))))];
  const present = paths.filter((path) => kindAt(path) !== undefined);
  if (present.length === 0 || !present.every((path) => isInside(path) && !look.isProtected(path)))
    return undefined;
  const states = gitStates(present, isInside);
  for (const path of present)
    if (states.get(path) !== "recorded" || (await ledTo(path)) !== path || !isWithoutSecrets(path))
      return undefined;
  return present;
}

const MOST_BYTES = 65_536;

function isWithoutSecrets(path: string): boolean {
  try {
    const bytes = readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: false })?.bytes;
    if (bytes === undefined) return false;
    const text = bytes.toString();
    return blankedSettings(bytes) === text && createRedactor().redact(text) === text;
  } catch {
    return false;
  }
}
