import { dirname, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { kindAt } from "../files/entries.ts";
import { meetsAll } from "../files/meets-all.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { exactName } from "./name-pattern.ts";

/** One line of an ignore file, as far as what it means is certain. */
interface IgnoreLine {
  /** It includes again what a line before it excludes. */
  readonly isNegated: boolean;
  /** Folders alone. */
  readonly isFolder: boolean;
  /** The path from the folder of the file. */
  matches(segments: readonly string[]): boolean;
}

interface IgnoreFile {
  readonly folder: string;
  readonly lines: readonly IgnoreLine[];
}

/** The ignore files that apply in a folder, from the top down. */
export interface IgnoreRules {
  /** `.gitignore`: none where there is no repository. */
  readonly git: readonly IgnoreFile[];
  /** `.ignore` and `.rgignore`: ripgrep alone reads them, and prefers them. */
  readonly own: readonly IgnoreFile[];
  readonly isRepository: boolean;
}

export const NO_RULES: IgnoreRules = Object.freeze({ git: [], own: [], isRepository: false });

const GIT_FILE = ".gitignore";
const OWN_FILES = [".ignore", ".rgignore"];

/** The rules of a folder and of those above it: git's up to the top of the repository, ripgrep's own from the root. */
export function ignoreRulesFor(folder: string): IgnoreRules {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    above.unshift(at);
    if (at === dirname(at)) break;
  }
  return above.reduce(
    (rules, at) => rulesBeneath(at, rules, (name) => kindAt(join(at, name)) !== undefined),
    NO_RULES,
  );
}

/** Whether git, which looks into every folder of a repository, leaves this one out for certain. */
export function isLeftOutByGit(folder: string): boolean {
  const rules = ignoreRulesFor(dirname(folder));
  if (!rules.isRepository) return true;
  const { git } = rules;
  const top = git[0]?.folder ?? folder;
  for (let at = folder; isBelow(at, top); at = dirname(at)) {
    const above = git.filter((file) => isBelow(at, file.folder));
    if (ruleFor(at, true, { git: above, own: [], isRepository: true }) === "ignored") return true;
  }
  return false;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** The rules within a folder, of which the names are known. A repository of its own has none of git's from above. */
export function rulesBeneath(
  folder: string,
  above: IgnoreRules,
  has: (name: string) => boolean,
): IgnoreRules {
  const isTop = has(".git");
  const isRepository = isTop || above.isRepository;
  const git = isTop ? [] : above.git;
  const ofGit = isRepository && has(GIT_FILE) ? [fileOf(folder, GIT_FILE)] : [];
  const ofOwn = OWN_FILES.filter(has).map((name) => fileOf(folder, name));
  if (!isTop && ofGit.length === 0 && ofOwn.length === 0) return above;
  return { git: [...git, ...ofGit], own: [...above.own, ...ofOwn], isRepository };
}

const MOST_LINES = 2_000;
const MOST_BYTES = 2 ** 20;

/** Git follows no link of this name. */
function textAt(path: string): string | undefined {
  return unlessThrown(() =>
    readSmallFile(path, { mostBytes: MOST_BYTES, followsLinks: false })?.bytes.toString(),
  );
}

/** It may include anything again, and so does a line or a file that cannot be read for certain. */
const INCLUDES_ALL: IgnoreLine = { isNegated: true, isFolder: false, matches: () => true };

function fileOf(folder: string, name: string): IgnoreFile {
  const lines = textAt(join(folder, name))?.split("\n");
  if (lines === undefined || lines.length > MOST_LINES) return { folder, lines: [INCLUDES_ALL] };
  return { folder, lines: lines.flatMap((line) => lineOf(line.replace(/\r$/, "")) ?? []) };
}

/**
 * What the rules say of an entry, as far as it is certain. In git's files the last line that matches decides. Ripgrep
 * prefers its own files, in an order of their own, and searches what they include again, also if it is hidden.
 */
export function ruleFor(
  path: string,
  isFolder: boolean,
  { git, own }: IgnoreRules,
): "ignored" | "included" | undefined {
  if (own.some((file) => verdictOf(path, isFolder, [file]) === false)) return "included";
  const verdict = verdictOf(path, isFolder, git);
  if (verdict === undefined) return undefined;
  return verdict ? "ignored" : "included";
}

function verdictOf(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean | undefined {
  for (let at = files.length - 1; at >= 0; at -= 1) {
    const { folder, lines } = files[at] as IgnoreFile;
    const segments = path.slice(folder === "/" ? 1 : folder.length + 1).split("/");
    const line = lines.findLast((one) => (isFolder || !one.isFolder) && one.matches(segments));
    if (line !== undefined) return !line.isNegated;
  }
  return undefined;
}

function lineOf(written: string): IgnoreLine | undefined {
  const line = written.replace(/(?<![\\ ]) +$/, "");
  if (line === "" || line.startsWith("#")) return undefined;
  const isNegated = line.startsWith("!");
  const pattern = isNegated ? line.slice(1) : line;
  const isFolder = pattern.endsWith("/");
  const matches = pathMatcher(isFolder ? pattern.slice(0, -1) : pattern);
  // A line of unknown meaning excludes nothing.
  if (matches === undefined) return isNegated ? INCLUDES_ALL : undefined;
  return { isNegated, isFolder, matches };
}

/** With a slash in it, a pattern is a path from the folder of the file; else a name anywhere beneath. */
function pathMatcher(pattern: string): ((segments: readonly string[]) => boolean) | undefined {
  const isAnchored = pattern.includes("/");
  const wanted = pattern.replace(/^\//, "").split("/");
  const units = wanted.map((one) => (one === "**" ? ANY_DEPTH : exactName(one)));
  if (units.some((unit) => unit === undefined)) return undefined;
  const [only] = units;
  if (!isAnchored) return typeof only === "function" ? (segments) => only(segments.at(-1) ?? "") : undefined;
  // At the end it means all that is beneath, and not the folder itself.
  const isBeneath = units.at(-1) === ANY_DEPTH;
  const ofPath = units as readonly Unit[];
  return (segments) => meets(ofPath, segments) && !(isBeneath && meets(ofPath.slice(0, -1), segments));
}

const ANY_DEPTH = Symbol("any number of folders");

type Unit = typeof ANY_DEPTH | ((name: string) => boolean);

function meets(units: readonly Unit[], segments: readonly string[]): boolean {
  return meetsAll(units, segments, {
    isRun: (unit) => unit === ANY_DEPTH,
    fits: (unit, segment) => unit !== ANY_DEPTH && unit(segment),
  });
}
