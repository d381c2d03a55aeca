import type { Action } from "@toolkeep/core";
import { nearest } from "./diagnostic.ts";
import { RuleSyntaxError } from "./rule-syntax-error.ts";

export interface PatternContext {
  readonly permission: string;
  readonly action: Action;
  /** Where the pattern begins in its line. */
  readonly at: number;
  /** What `~` stands for. */
  readonly home?: string;
}

/** Tools whose targets are paths. */
const PATH_TOOLS: ReadonlySet<string> = new Set([
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "file_manager",
  "diff_editor",
]);

const VARIABLES = ["workspace", "ad-hoc", "user-data"] as const;

/** Whether the permission is about files, so that its patterns are paths. */
export function isAboutPaths(permission: string): boolean {
  return permission.startsWith("fs.") || PATH_TOOLS.has(permission.split(".")[0] as string);
}

/**
 * The pattern as a rule holds it: relative paths lie in the workspace. `**` at the start means the
 * workspace where it allows and anywhere where it asks or denies. Commands and hosts stay as they are.
 * @throws RuleFault.
 */
export function placePattern(pattern: string, context: PatternContext): string {
  if (pattern.trim() === "")
    throw new RuleSyntaxError("The pattern is empty.", context.at, "Leave it out, or write `*`.");
  checkBraces(pattern, context);
  if (context.permission === "*") return placeAnything(pattern, context);
  return isAboutPaths(context.permission) ? placePath(pattern, context) : pattern;
}

/** For `*` the target may be anything, so a relative path would be mistaken for a text that matches nothing. */
function placeAnything(pattern: string, context: PatternContext): string {
  if (pattern.startsWith("~")) return placePath(pattern, context);
  if (/^[*/]|^\{[a-z-]+\}/.test(pattern)) return pattern;
  throw new RuleSyntaxError(
    "A rule for `*` cannot tell a path from a command.",
    context.at,
    `Name what it is about, e.g. \`${context.action} fs.* ${JSON.stringify(pattern)}\`, or begin with \`/\` or \`*\`.`,
  );
}

function placePath(pattern: string, context: PatternContext): string {
  checkSegments(pattern, context);
  if (pattern === "~" || pattern.startsWith("~/")) return `${homeOf(context)}${pattern.slice(1)}`;
  const plain = pattern.replace(/^(?:\.\/)+/, "");
  if (plain === "." || plain === "") return "{workspace}";
  const isStrict = context.action !== "allow";
  if (isStrict && plain === "*") return "**";
  const placements = new Set(
    beginningsOf(plain).map((beginning) => placementOf(beginning, isStrict, context)),
  );
  if (placements.size > 1) {
    throw new RuleSyntaxError(
      "Some of these paths lie in the workspace and some elsewhere.",
      context.at,
      "Write one rule for each.",
    );
  }
  return placements.has("workspace") ? `{workspace}/${plain}` : plain;
}

function placementOf(beginning: string, isStrict: boolean, { at }: PatternContext): "workspace" | "as it is" {
  if (beginning.startsWith("~") || beginning.startsWith("./")) {
    throw new RuleSyntaxError(
      "Alternatives begin with neither `~` nor `./`.",
      at,
      "Write one rule for each.",
    );
  }
  if (beginning.startsWith("/") || /^\{[a-z-]+\}/.test(beginning)) return "as it is";
  if (isStrict && /^\*\*(?:\/|$)/.test(beginning)) return "as it is";
  return "workspace";
}

/** What each of the alternatives begins with, where the pattern begins with alternatives. */
function beginningsOf(pattern: string): readonly string[] {
  const parts = alternativesAtStart(pattern);
  return parts.length > 1 ? parts.flatMap(beginningsOf) : [pattern];
}

/** Splits the braces that a pattern begins with at the commas that stand in no braces of their own. */
function alternativesAtStart(pattern: string): readonly string[] {
  if (!pattern.startsWith("{")) return [pattern];
  const parts: string[] = [];
  let depth = 0;
  let from = 1;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if ((character === "," && depth === 1) || depth === 0) {
      parts.push(pattern.slice(from, index));
      from = index + 1;
    }
    if (depth === 0) return parts.map((part) => `${part}${pattern.slice(from)}`);
  }
  return [pattern];
}

function checkSegments(pattern: string, { at }: PatternContext): void {
  if (/(?:^|[/{,])\.\.(?:[/},]|$)/.test(pattern)) {
    throw new RuleSyntaxError("A path pattern does not climb with `..`.", at, "Write the absolute path.");
  }
  if (pattern.includes("\\")) throw new RuleSyntaxError("Paths are written with `/`.", at);
}

function homeOf({ home, at }: PatternContext): string {
  if (home === undefined)
    throw new RuleSyntaxError("It is not known what `~` stands for.", at, "Write the absolute path.");
  if (!home.startsWith("/") || /[*?{}]/.test(home)) {
    throw new RuleSyntaxError("The home folder is no absolute path that a pattern could begin with.", at);
  }
  return home.replace(/(?<!\/)\/+$/, "");
}

/** Braces hold alternatives or a variable that is known. */
function checkBraces(pattern: string, { at }: PatternContext): void {
  let rest = pattern;
  for (let found = /\{([^{}]*)\}/.exec(rest); found !== null; found = /\{([^{}]*)\}/.exec(rest)) {
    const inner = found[1] as string;
    if (!inner.includes(",") && !(VARIABLES as readonly string[]).includes(inner))
      throw unknownVariable(inner, at);
    rest = rest.replace(found[0], "x");
  }
  if (/[{}]/.test(rest))
    throw new RuleSyntaxError("The braces do not close.", at, "Write e.g. `{src,test}/**`.");
}

function unknownVariable(name: string, at: number): RuleSyntaxError {
  const near = nearest(name, VARIABLES);
  const instead =
    near === undefined
      ? `Write alternatives as {a,b}, or one of {${VARIABLES.join("}, {")}}.`
      : `Did you mean {${near}}?`;
  return new RuleSyntaxError(`Nobody knows the variable {${name}}.`, at, instead);
}
