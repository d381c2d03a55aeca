import { BUILDS_AND_PIPELINES } from "./auto-executed/builds-and-pipelines.ts";
import { EDITORS_AND_AGENTS } from "./auto-executed/editors-and-agents.ts";
import { SHELLS_AND_INTERPRETERS } from "./auto-executed/shells-and-interpreters.ts";
import { VERSION_CONTROL } from "./auto-executed/version-control.ts";
import { remembered } from "./remembered.ts";
import { SECRET_ENDINGS, SECRET_FOLDERS, SECRET_NAMES } from "./secret-files.ts";
import { isSecretPath } from "./secret-names.ts";
import { isSystemPath, isTopFolder } from "./system-paths.ts";
import { expandBraces, type Meeting, sequencesMeet } from "./text-pattern.ts";

const PLAIN = /^[ -~]*$/;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** The names in a path as the most forgiving file system reads them: any case, no final dots, no streams, and so on. */
export function foldedSegments(path: string): readonly string[] {
  const folded = PLAIN.test(path) ? path.toLowerCase() : foldLetters(path);
  return folded
    .split(/[/\\]/)
    .map(withoutTail)
    .filter((segment) => segment !== "");
}

/** There and back, because some letters fold in one direction alone. */
function foldLetters(path: string): string {
  return path.replaceAll(UNSEEN, "").normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

function withoutTail(segment: string): string {
  const stream = segment.indexOf(":");
  let end = stream > 0 ? stream : segment.length;
  while (end > 0 && (segment[end - 1] === "." || segment[end - 1] === " ")) end -= 1;
  return segment.slice(0, end);
}

/**
 * A name that makes a program execute something when the user runs that program for another reason: to enter a
 * folder, to look at a status, to open an editor, to ask for a version. What is executed only by the user who
 * means to (a build file, a script, a test) is not among them.
 */
export interface AutoExecutedName {
  /** In small letters. `a`: anywhere. `a/`: a folder and all in it. `a/b`: in a row. `*`: letters of one name. */
  readonly name: string;
  /** The programs that execute it by themselves. */
  readonly by: string;
  /** What they execute. */
  readonly runs: string;
  /** Where that is written, or with which version it was seen. */
  readonly source: string;
}

/** One line for each kind, its names divided by blanks, its columns by bars. */
function rowsOf(table: string): readonly AutoExecutedName[] {
  return table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [names = "", by = "", runs = "", source = ""] = line.split("|").map((cell) => cell.trim());
      return names.split(" ").map((name) => Object.freeze({ name, by, runs, source }));
    });
}

/** All of them. The watchdog for protected names and the sandbox both read this one table. */
export const AUTO_EXECUTED: readonly AutoExecutedName[] = Object.freeze(
  [VERSION_CONTROL, EDITORS_AND_AGENTS, SHELLS_AND_INTERPRETERS, BUILDS_AND_PIPELINES].flatMap(rowsOf),
);

const ALL = AUTO_EXECUTED.map(({ name }) => name);
const isWild = (name: string) => name.includes("*");

/** Folders of git, of editors, of agents, of hooks and pipelines: their files are executed or configure what is. */
const CONFIGURATION_FOLDERS: ReadonlySet<string> = new Set(
  ALL.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
);

const CONFIGURATION_NAMES: ReadonlySet<string> = new Set(
  ALL.filter((name) => !name.includes("/") && !isWild(name)),
);

/** Those that are known by the names around them, or only by a part of their own. */
const PLACES = pattern(ALL.filter((name) => !name.endsWith("/") && (name.includes("/") || isWild(name))));

function pattern(names: readonly string[]): RegExp {
  const sources = names.map((name) => name.replaceAll(/[.+]/g, "\\$&").replaceAll("*", "[^/]*"));
  return new RegExp(`/(?:${sources.join("|")})/`);
}

/** The hooks of a bare repository, which any folder can be made into. */
const HOOK =
  /\/hooks\/(?:(?:pre|post)-(?:commit|merge-commit|merge|rebase|checkout|push|applypatch|receive|rewrite|update|auto-gc)|prepare-commit-msg|commit-msg|applypatch-msg|fsmonitor-watchman|update|reference-transaction)\//;

/** Whether folded segments lead to configuration that decides what is run, or who may do what. */
function isConfigurationPath(segments: readonly string[]): boolean {
  if (segments.some((segment) => CONFIGURATION_FOLDERS.has(segment) || CONFIGURATION_NAMES.has(segment))) {
    return true;
  }
  const joined = `/${segments.join("/")}/`;
  return PLACES.test(joined) || HOOK.test(joined);
}

/** What a path, or a pattern of paths, is known to lead to by its names alone. */
export interface NameClass {
  /** Keys, credentials, shell history. */
  readonly isSecret: boolean;
  /** Decides what is run, or who may do what. */
  readonly isConfiguration: boolean;
  readonly isSystem: boolean;
  readonly isTopFolder: boolean;
  /** Makes a folder into a repository, with hooks and configuration of its own. */
  readonly isHead: boolean;
  /** A pattern in which any folder or name could stand somewhere. */
  readonly isBroad: boolean;
  /** A pattern that could stand for any name in its folder. */
  readonly isOpen: boolean;
}

const WILD = /[*?{]/;
const BROAD = /^[*?]+(?:\.\*)?$/;
const LONGEST = 8_192;

function classWhere(holds: (kind: keyof NameClass) => boolean): NameClass {
  return Object.freeze({
    isSecret: holds("isSecret"),
    isConfiguration: holds("isConfiguration"),
    isSystem: holds("isSystem"),
    isTopFolder: holds("isTopFolder"),
    isHead: holds("isHead"),
    isBroad: holds("isBroad"),
    isOpen: holds("isOpen"),
  });
}

const ORDINARY = classWhere(() => false);

/** Unknown, so it may be each of them. */
const UNCLEAR = classWhere(() => true);

/** By the words of the path alone: the file need not exist. */
export function classOfName(path: string): NameClass {
  if (path.length > LONGEST) return UNCLEAR;
  return WILD.test(path) ? classOfPattern(path) : classOfPath(path);
}

/** The same for the targets of effects, which come again and again. */
export const classOfTarget: (path: string) => NameClass = remembered(classOfName);

/** The same for a pattern of a shell, which stands for no folder with a dot at the beginning of its name. */
export const classOfVisible: (pattern: string) => NameClass = remembered((pattern) => {
  const found = classOfName(pattern);
  if (!found.isBroad || found.isOpen || pattern.includes("**")) return found;
  const isProtected = VISIBLE_FOLDERS.some((folder) => {
    const { isSecret, isConfiguration } = classOfName(pattern.replaceAll(/(?<=\/)[*?]+(?=\/)/g, folder));
    return isSecret || isConfiguration;
  });
  return isProtected ? found : Object.freeze({ ...found, isBroad: false });
});

/** Folders that make something of some names in them, and are not hidden. */
const VISIBLE_FOLDERS: readonly string[] = [
  "hooks",
  ...ALL.filter((name) => /^[^.].*\/./.test(name)).map((name) => name.slice(0, name.indexOf("/"))),
];

/** Whether a path leads to keys, credentials or the like. A tool that searches folders leaves these out. */
export function isSecretFile(path: string): boolean {
  return classOfName(path).isSecret;
}

/** Whether a path leads to configuration that decides what is run, or into the operating system. */
export function isProtectedName(path: string): boolean {
  const { isConfiguration, isSystem, isHead } = classOfName(path);
  return isConfiguration || isSystem || isHead;
}

function classOfPath(path: string): NameClass {
  const segments = foldedSegments(path);
  const isSecret = isSecretPath(segments);
  const isConfiguration = isConfigurationPath(segments);
  const isSystem = isSystemPath(path, segments);
  const isTop = isTopFolder(path, segments);
  const isHead = segments.at(-1) === "head";
  // Most are nothing of it, and a search of a large folder asks for each of its names.
  if (!(isSecret || isConfiguration || isSystem || isTop || isHead)) return ORDINARY;
  return Object.freeze({ ...ORDINARY, isSecret, isConfiguration, isSystem, isTopFolder: isTop, isHead });
}

function classOfPattern(pattern: string): NameClass {
  const paths = expandBraces(pattern);
  if (paths === undefined) return UNCLEAR;
  const classes = paths.map((path) => classOfExpanded(path));
  return classWhere((kind) => classes.some((one) => one[kind]));
}

function classOfExpanded(path: string): NameClass {
  const plain = classOfPath(path);
  const segments = foldedSegments(path);
  const wild = segments.filter((segment) => /[*?]/.test(segment));
  // A run of `*` says no more than one, and each takes its time with every name.
  const telling = wild.filter((segment) => !BROAD.test(segment)).map((one) => one.replaceAll(/\*+/g, "*"));
  return {
    ...plain,
    isSecret: plain.isSecret || telling.some((segment) => mayName(segment, SECRET_SAMPLES)),
    isConfiguration:
      plain.isConfiguration || telling.some((segment) => mayName(segment, CONFIGURATION_SAMPLES)),
    isBroad: telling.length < wild.length,
    isOpen: BROAD.test(segments.at(-1) ?? ""),
  };
}

interface Samples {
  /** Names that begin with a dot, for patterns that do. */
  readonly dotted: readonly string[];
  /** The few names that a pattern is compared with: `*.json` must not be treated as a secret. */
  readonly telling: readonly string[];
}

function mayName(pattern: string, { dotted, telling }: Samples): boolean {
  const names = pattern.startsWith(".") ? dotted : telling;
  return names.some((name) => sequencesMeet(pattern, name, LETTERS));
}

const LETTERS: Meeting<string, string> = {
  oneRuns: (unit) => unit === "*",
  otherRuns: () => false,
  meets: (unit, letter) => unit === "*" || unit === "?" || unit === letter,
};

const SECRET_SAMPLES: Samples = {
  dotted: [".env", ".env.local", ".bash_history", ...SECRET_NAMES, ...SECRET_FOLDERS].filter(isDotted),
  telling: [
    ".env",
    "id_rsa",
    "id_ed25519",
    ".ssh",
    ".npmrc",
    ...[...SECRET_ENDINGS].map((end) => `~.${end}`),
  ],
};

const CONFIGURATION_SAMPLES: Samples = {
  dotted: [...CONFIGURATION_NAMES, ...CONFIGURATION_FOLDERS, ".github"].filter(isDotted),
  telling: [".git", ".bashrc", ".gitconfig", "jenkinsfile"],
};

function isDotted(name: string): boolean {
  return name.startsWith(".");
}
