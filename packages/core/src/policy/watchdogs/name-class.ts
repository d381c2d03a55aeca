import { expandBraces } from "../patterns/expand-braces.ts";
import { type Meeting, sequencesMeet } from "../patterns/sequences-meet.ts";
import { CONFIGURATION_FOLDERS, CONFIGURATION_NAMES, isConfigurationPath } from "./configuration-names.ts";
import { foldedSegments } from "./folded-path.ts";
import { remembered } from "./remembered.ts";
import { isSecretPath, SECRET_ENDINGS, SECRET_FOLDERS, SECRET_NAMES } from "./secret-names.ts";
import { isSystemPath, isTopFolder } from "./system-paths.ts";

/** What a path, or a pattern of paths, is known to lead to by its names alone. */
export interface NameClass {
  /** Keys, credentials, what somebody typed. */
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

const ORDINARY: NameClass = Object.freeze({
  isSecret: false,
  isConfiguration: false,
  isSystem: false,
  isTopFolder: false,
  isHead: false,
  isBroad: false,
  isOpen: false,
});

/** Nobody can tell, so it is all of them. */
const UNCLEAR: NameClass = Object.freeze({
  isSecret: true,
  isConfiguration: true,
  isSystem: true,
  isTopFolder: true,
  isHead: true,
  isBroad: true,
  isOpen: true,
});

/** By the words of the path alone: the file need not exist. */
export function classOfName(path: string): NameClass {
  if (path.length > LONGEST) return UNCLEAR;
  return WILD.test(path) ? classOfPattern(path) : classOfPath(path);
}

/** The same for the targets of effects, which come again and again. */
export const classOfTarget: (path: string) => NameClass = remembered(classOfName);

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
  const found: NameClass = {
    isSecret: isSecretPath(segments),
    isConfiguration: isConfigurationPath(segments),
    isSystem: isSystemPath(path, segments),
    isTopFolder: isTopFolder(path, segments),
    isHead: segments.at(-1) === "head",
    isBroad: false,
    isOpen: false,
  };
  return Object.values(found).includes(true) ? Object.freeze(found) : ORDINARY;
}

function classOfPattern(pattern: string): NameClass {
  const paths = expandBraces(pattern);
  if (paths === undefined) return UNCLEAR;
  const classes = paths.map((path) => classOfExpanded(path));
  return Object.freeze({
    isSecret: classes.some(({ isSecret }) => isSecret),
    isConfiguration: classes.some(({ isConfiguration }) => isConfiguration),
    isSystem: classes.some(({ isSystem }) => isSystem),
    isTopFolder: classes.some((one) => one.isTopFolder),
    isHead: classes.some(({ isHead }) => isHead),
    isBroad: classes.some(({ isBroad }) => isBroad),
    isOpen: classes.some(({ isOpen }) => isOpen),
  });
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
  /** The few that a pattern without a dot is held against: `*.json` must not count as a secret. */
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
