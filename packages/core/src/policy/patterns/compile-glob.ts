import {
  allowedSegments,
  coversPath,
  isAstray,
  pathsMeet,
  patternSegments,
  type Segments,
  segmentsOf,
  visiblePathsMeet,
} from "../../file-names/path-pattern.ts";
import {
  coversText,
  expandBraces,
  isWildText,
  LONGEST_PATTERN,
  textsMeet,
} from "../../file-names/text-pattern.ts";
import { commandPattern, coversCommand, mayMeanCommand, wordsOf } from "./command-pattern.ts";

/** Holds targets against one pattern. */
export interface TargetPattern {
  /** Whether the target is covered. One that is a pattern itself must be covered whole. */
  matches(target: string, kind: TargetKind): boolean;
  /** Whether the target, or anything that it could stand for, is covered. */
  mayMatch(target: string, kind: TargetKind): boolean;
}

/**
 * Compiles a pattern. In a path `*` matches within a segment and `**`, as a segment, any number of
 * segments, none included. In a command `*` is a word, or any number of words at the end. Elsewhere
 * it matches anything. `?` is one character, `{a,b}` one of several. Anchored at both ends. Takes
 * time linear in the pattern times the target.
 */
export function compileGlob(pattern: string): TargetPattern {
  const alternatives = alternativesOf(pattern);
  if (alternatives === undefined) return UNREADABLE;
  if (alternatives.includes("**")) return EVERYTHING;
  const compiled: { [Kind in TargetKind]?: KindPattern } = {};
  const of = (kind: TargetKind) => {
    compiled[kind] ??= COMPILE[kind](alternatives, pattern);
    return compiled[kind];
  };
  return {
    matches(target, kind) {
      if (target === pattern && kind !== "command") return true;
      return !isTooLong(target, kind) && of(kind).matches(target);
    },
    mayMatch: (target, kind) => isTooLong(target, kind) || of(kind).mayMatch(target),
  };
}

/** What a pattern stands for without its braces; `undefined` where that is too much to be read. */
export function alternativesOf(pattern: string): readonly string[] | undefined {
  return pattern.length > LONGEST_PATTERN ? undefined : expandBraces(pattern);
}

const UNREADABLE = Object.freeze({ matches: () => false, mayMatch: () => true });
const EVERYTHING = Object.freeze({ matches: () => true, mayMatch: () => true });

interface KindPattern {
  matches(target: string): boolean;
  mayMatch(target: string): boolean;
}

type Compile = (alternatives: readonly string[], pattern: string) => KindPattern;

const COMPILE: Readonly<Record<TargetKind, Compile>> = {
  path: (alternatives, pattern) => compilePath(alternatives, pattern, pathsMeet),
  visible: (alternatives, pattern) => compilePath(alternatives, pattern, visiblePathsMeet),
  command: compileCommand,
  text: compileText,
};

function compilePath(
  alternatives: readonly string[],
  pattern: string,
  meet: (pattern: Segments, path: Segments) => boolean,
): KindPattern {
  const wide = alternatives.map(patternSegments);
  const narrow = allowedSegments(pattern);
  return {
    matches: (target) =>
      allOf(target, (text) => {
        const path = segmentsOf(text);
        return !isAstray(path) && narrow.some((one) => coversPath(one, path));
      }),
    mayMatch: (target) =>
      anyOf(target, (text) => {
        const path = segmentsOf(text);
        const holds = isWildText(text) ? meet : coversPath;
        return isAstray(path) || wide.some((one) => holds(one, path));
      }),
  };
}

function compileText(alternatives: readonly string[]): KindPattern {
  if (alternatives.includes("*")) return EVERYTHING;
  return {
    matches: (target) => allOf(target, (text) => alternatives.some((pattern) => coversText(pattern, text))),
    mayMatch: (target) =>
      anyOf(target, (text) => {
        const holds = isWildText(text) ? textsMeet : coversText;
        return alternatives.some((pattern) => holds(pattern, text));
      }),
  };
}

function compileCommand(alternatives: readonly string[]): KindPattern {
  const patterns = alternatives.map(commandPattern);
  return {
    matches: (target) => {
      const argv = wordsOf(target);
      return patterns.some((pattern) => coversCommand(pattern, argv));
    },
    mayMatch: (target) => {
      const argv = wordsOf(target);
      return patterns.some((pattern) => mayMeanCommand(pattern, argv));
    },
  };
}

/** Whether it holds for the target and, if there are braces in it, for all that they stand for. */
function allOf(target: string, holds: (text: string) => boolean): boolean {
  return holds(target) && (!target.includes("{") || (expandBraces(target)?.every(holds) ?? false));
}

/** Whether it holds for the target or, if there are braces in it, for any that they stand for. */
function anyOf(target: string, holds: (text: string) => boolean): boolean {
  return holds(target) || (target.includes("{") && (expandBraces(target)?.some(holds) ?? true));
}

/** Paths have segments and commands have words; hosts and whatever else are texts. `visible`: a pattern of a shell. */
export type TargetKind = "path" | "visible" | "command" | "text";

/** What kind of target a capability has. */
export function kindOfTarget(capability: string): TargetKind {
  if (capability.startsWith("fs.")) return "path";
  return capability === "shell.run" ? "command" : "text";
}

const LONGEST: Readonly<Record<TargetKind, number>> = {
  path: 4_096,
  visible: 4_096,
  command: 65_536,
  text: 65_536,
};

/** Whether a target is not looked at for its length: nothing covers it, and it may be anything. */
export function isTooLong(target: string, kind: TargetKind): boolean {
  return target.length > LONGEST[kind];
}
