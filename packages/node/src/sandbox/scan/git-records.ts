import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode } from "../../files/file-failure.ts";
import { versionOf } from "../../files/opened-file.ts";
import { holdFolder } from "../../files/pinned-folder.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import { gitSettings } from "../../git/git-config.ts";
import { readGitIndex } from "../../git/git-index.ts";
import { type Find, identityOf } from "./find.ts";
import { INDEX, LIST, OIDS, SHAPES, TEXT, WORD } from "./record-shapes.ts";

/** Files of a repository's own folder that are read as such; those of unfinished work are all of them. */
export function isRecord(name: string): boolean {
  return INDEX.test(name) || name === "merge_rr" || name.startsWith("bisect_") || name === "merge_autostash";
}

/** What a record contains that git would not have written. */
export function recordFinds(path: string): readonly Find[] {
  try {
    using folder = holdFolder(dirname(path));
    const heldPath = folder.at(basename(path));
    const stats = lstatSync(heldPath, { bigint: true });
    const name = basename(path).toLowerCase();
    if (!stats.isFile() || TEXT.test(name)) return [];
    const found: Find = { path, kind: "order", type: "file", identity: "", inode: identityOf(stats) };
    const errors = INDEX.test(name)
      ? rememberedErrors(path, heldPath, stats)
      : errorsAt(path, heldPath, LIST.test(name) ? MOST_OF_LIST : MOST_BYTES);
    return fewOf(errors).map((error) => ({ ...found, identity: `order ${error}` }));
  } catch {
    // It is gone, or its folder is: what is there now is found separately.
    return [];
  }
}

const MOST_ERRORS = 100;

/** Each once, because a command that runs after every commit is repeated; very many are identified by all their text. */
function fewOf(errors: readonly string[]): readonly string[] {
  const each = new Set(errors);
  if (each.size <= MOST_ERRORS) return [...each];
  const hash = createHash("sha256");
  for (const error of each) hash.update(`${error.length} ${error}`);
  return [`too many: ${hash.digest("hex")}`];
}

const MOST_BYTES = 2 ** 18;
const MOST_OF_LIST = 2 ** 22;
const MOST_OF_INDEX = 2 ** 26;

const remembered = new Map<string, { readonly stamp: string; readonly errors: readonly string[] }>();

/** An index is large and changes rarely. */
function rememberedErrors(path: string, heldPath: string, stats: BigIntStats): readonly string[] {
  const stamp = versionOf(stats);
  const known = remembered.get(path);
  if (known?.stamp === stamp) return known.errors;
  const errors = errorsAt(path, heldPath, MOST_OF_INDEX);
  if (remembered.size > 1_000) remembered.clear();
  // Two changes within one tick of the clock have the same time.
  if (Date.now() - Number(stats.ctimeMs) > 1_000) remembered.set(path, { stamp, errors });
  return errors;
}

function errorsAt(path: string, heldPath: string, mostBytes: number): readonly string[] {
  try {
    const file = readSmallFile(heldPath, { mostBytes, followsLinks: false });
    return file === undefined ? ["unreadable"] : recordErrors(path, file.bytes);
  } catch (error) {
    // Not readable: git would not have written it so.
    if (CLOSED.has(errorCode(error))) return ["unreadable"];
    throw error;
  }
}

const CLOSED: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", undefined]);

/** What is wrong with a record that has these bytes, each with a text that identifies it. */
export function recordErrors(path: string, bytes: Buffer): readonly string[] {
  const name = basename(path).toLowerCase();
  if (INDEX.test(name)) return errorsOfIndex(path, bytes);
  const text = bytes.toString("latin1");
  if (LIST.test(name)) return commandsIn(text);
  if (name === "merge_rr") return resolvedElsewhere(text, worktreeOf(path));
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  const isAsGitWrites =
    shape?.test(text) ?? (WORD.test(text) || OIDS.test(text) || name.startsWith("bisect_"));
  return isAsGitWrites ? [] : [createHash("sha256").update(bytes).digest("hex")];
}

const COMMAND = /^[ \t]*(?:exec|x)(?:[ \t\r]|$)/i;

/** Git ends a line at this one byte, whatever else ends lines elsewhere. */
function commandsIn(text: string): readonly string[] {
  return text.split("\n").filter((line) => COMMAND.test(line));
}

/** Git reads and writes these files when it remembers how a conflict was resolved. */
function resolvedElsewhere(text: string, worktree: string | undefined): readonly string[] {
  const paths = text.split("\0").map((record) => record.replace(/^[^\t]*\t/, ""));
  return paths.filter((path) => path !== "" && leadsOut(path, worktree));
}

/** The kernel takes no longer one. */
const LONGEST_PATH = 4_096;

function leadsOut(path: string, worktree: string | undefined): boolean {
  if (path.length > LONGEST_PATH) return true;
  const names = path.split("/");
  if (worktree === undefined || names.some((name) => /^(?:|\.{1,2}|\.git)$/i.test(name))) return true;
  let reached = worktree;
  for (const name of names) {
    reached = `${reached}/${name}`;
    const type = typeAt(reached);
    if (type === "link") return true;
    // Below it there is nothing either.
    if (type === "none") return false;
  }
  return false;
}

function typeAt(path: string): "link" | "other" | "none" {
  try {
    const stats = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
    if (stats === undefined) return "none";
    return stats.isSymbolicLink() ? "link" : "other";
  } catch {
    return "none";
  }
}

/** Unknown for a repository whose worktree is configured elsewhere. */
function worktreeOf(path: string): string | undefined {
  const repository = dirname(path);
  return basename(repository).toLowerCase() === ".git"
    ? Buffer.from(dirname(repository)).toString("latin1")
    : undefined;
}

/**
 * Paths that git itself would never write: they lead out of the worktree or into its own folder. Git checks such names
 * when it adds them, and not when it reads an index that has them.
 */
const LEADS_ELSEWHERE = /(?:^|\/)(?:\.{1,2}|\.git|git~1)(?:\/|$)|^\/|\/\//i;
/** Installed packages are not scanned, so git must not be led there. */
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages)(?:\/|$)/i;

function errorsOfIndex(path: string, bytes: Buffer): readonly string[] {
  // One that git has begun to write, and that is not read.
  if (bytes.length === 0 || path.toLowerCase().endsWith(".lock")) return [];
  const index = readGitIndex(bytes, hasLongHashes(dirname(path)) ? 32 : 20);
  if (index === undefined) return ["unreadable"];
  return index.entries
    .filter(
      ({ path: one, isRepository }) => LEADS_ELSEWHERE.test(one) || (isRepository && INSTALLED.test(one)),
    )
    .map(({ path: one }) => one);
}

/** By the settings that git reads for it, and by no file that a command could put next to them. */
function hasLongHashes(repository: string): boolean {
  const kept = dirname(repository);
  const isWorktree = basename(kept) === "worktrees" && basename(dirname(kept)).toLowerCase() === ".git";
  try {
    using folder = holdFolder(isWorktree ? dirname(kept) : repository);
    const file = readSmallFile(folder.at("config"), { mostBytes: MOST_OF_LIST, followsLinks: false });
    return gitSettings(file?.bytes.toString() ?? "").some(
      ({ name, value }) => name === "extensions.objectformat" && value.toLowerCase() === "sha256",
    );
  } catch {
    return false;
  }
}
