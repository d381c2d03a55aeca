import { dirname, join } from "node:path";
import { kindAt, textAt } from "./entries.ts";
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
  /** `.ignore` and `.rgignore`, which ripgrep reads, and which it prefers. */
  readonly own: readonly IgnoreFile[];
  /** Without a repository no program uses git's ignore files, and those of ripgrep exclude nothing here. */
  readonly isRepository: boolean;
}

export const NO_RULES: IgnoreRules = Object.freeze({ git: [], own: [], isRepository: false });

/** The rules of a folder and of those above it, up to the top of the repository. */
export function ignoreRulesFor(folder: string): IgnoreRules {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    above.unshift(at);
    if (kindAt(join(at, ".git")) !== undefined) break;
    if (at === dirname(at)) return NO_RULES;
  }
  return above.reduce(withFilesOf, { ...NO_RULES, isRepository: true });
}

/** The same within a folder. A repository of its own has none of git's rules from above. */
export function rulesBeneath(folder: string, names: ReadonlySet<string>, above: IgnoreRules): IgnoreRules {
  const isTop = names.has(".git");
  const isRepository = isTop || above.isRepository;
  if (!isRepository || (!isTop && !FILES.some((name) => names.has(name)))) return above;
  return withFilesOf({ git: isTop ? [] : above.git, own: above.own, isRepository }, folder);
}

const FILES = [".gitignore", ".ignore", ".rgignore"];

function withFilesOf({ git, own, isRepository }: IgnoreRules, folder: string): IgnoreRules {
  const [ofGit, ...others] = FILES.map((name) => linesOf(textAt(join(folder, name)) ?? ""));
  const added = (files: readonly IgnoreFile[], lines: readonly IgnoreLine[] = []) =>
    lines.length === 0 ? files : [...files, { folder, lines }];
  return { git: added(git, ofGit), own: others.reduce(added, own), isRepository };
}

/**
 * Whether an entry is certainly passed over. In git's files the last line that matches decides. Ripgrep prefers its
 * own files, in an order of their own: what one of them includes again is not passed over.
 */
export function isIgnored(path: string, isFolder: boolean, { git, own }: IgnoreRules): boolean {
  const ofOwn = own.flatMap((file) => verdictOf(path, isFolder, [file]) ?? []);
  if (ofOwn.length > 0) return !ofOwn.includes(false);
  return verdictOf(path, isFolder, git) ?? false;
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

const MOST_LINES = 2_000;

function linesOf(text: string): readonly IgnoreLine[] {
  const lines = text.split("\n");
  // What is not read may include something again, so nothing is excluded.
  return lines.length > MOST_LINES ? [] : lines.flatMap((line) => lineOf(line.replace(/\r$/, "")) ?? []);
}

function lineOf(written: string): IgnoreLine | undefined {
  const line = written.replace(/(?<![\\ ]) +$/, "");
  if (line === "" || line.startsWith("#")) return undefined;
  const isNegated = line.startsWith("!");
  const pattern = isNegated ? line.slice(1) : line;
  const isFolder = pattern.endsWith("/");
  const matches = pathMatcher(isFolder ? pattern.slice(0, -1) : pattern);
  // A line of unknown meaning excludes nothing, and may include anything again.
  if (matches === undefined)
    return isNegated ? { isNegated, isFolder: false, matches: () => true } : undefined;
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
  let [at, unit, run, resume] = [0, 0, -1, 0];
  while (at < segments.length) {
    const wanted = units[unit];
    if (wanted === ANY_DEPTH) {
      run = unit;
      resume = at;
      unit += 1;
    } else if (wanted?.(segments[at] as string) === true) {
      at += 1;
      unit += 1;
    } else if (run >= 0) {
      resume += 1;
      at = resume;
      unit = run + 1;
    } else return false;
  }
  while (units[unit] === ANY_DEPTH) unit += 1;
  return unit === units.length;
}
