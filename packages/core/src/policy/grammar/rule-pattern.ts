import { firstVariable, isKnownVariable, STANDARD_VARIABLES } from "../../contract/call/variables.ts";
import type { Action, Rule } from "../../contract/policy/rule.ts";
import { closestName } from "../../contract/values/error.ts";
import { ruleError } from "../rules/compile-rule.ts";
import { RuleSyntaxError } from "./rule-tokens.ts";

export interface PatternContext {
  readonly permission: string;
  readonly action: Action;
  /** Position of the pattern in its line, counted from 0. */
  readonly at: number;
  /** What `~` stands for. */
  readonly home?: string;
  /** The names of declared variables. Without it, names are checked when the rule is compiled. */
  readonly variables?: readonly string[];
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

/** Whether the patterns of a permission are paths. */
function isAboutPaths(permission: string): boolean {
  return permission.startsWith("fs.") || PATH_TOOLS.has(permission.split(".")[0] as string);
}

/**
 * The pattern as the object form of a rule has it. Relative paths are relative to the workspace. A leading `**`
 * means the workspace in an allow, and anywhere in an ask or a deny. Commands and hosts are unchanged.
 * @throws RuleSyntaxError.
 */
export function resolvePattern(pattern: string, context: PatternContext): string {
  if (pattern.trim() === "")
    throw new RuleSyntaxError("The pattern is empty.", context.at, "Leave it out, or write `*`.");
  checkBraces(pattern, context);
  if (context.permission === "*") return resolveAnyTarget(pattern, context);
  return isAboutPaths(context.permission) ? resolvePath(pattern, context) : pattern;
}

/** For `*` the target may be anything: a relative path would be taken for a text and match nothing. */
function resolveAnyTarget(pattern: string, context: PatternContext): string {
  if (pattern.startsWith("~")) return resolvePath(pattern, context);
  if (/^[*/]/.test(pattern) || beginsWithVariable(pattern)) return pattern;
  throw new RuleSyntaxError(
    "In a rule for `*` a relative path cannot be told from a command.",
    context.at,
    `Name a capability, e.g. \`${context.action} fs.* ${JSON.stringify(pattern)}\`, or begin with \`/\` or \`*\`.`,
  );
}

function resolvePath(pattern: string, context: PatternContext): string {
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
      "Some of these paths are in the workspace and some are not.",
      context.at,
      "Write one rule for each.",
    );
  }
  return placements.has("workspace") ? `{workspace}/${plain}` : plain;
}

function placementOf(beginning: string, isStrict: boolean, { at }: PatternContext): "workspace" | "as it is" {
  if (beginning.startsWith("~") || beginning.startsWith("./")) {
    throw new RuleSyntaxError(
      "An alternative in braces cannot begin with `~` or `./`.",
      at,
      "Write one rule for each.",
    );
  }
  if (beginning.startsWith("/") || beginsWithVariable(beginning)) return "as it is";
  if (isStrict && /^\*\*(?:\/|$)/.test(beginning)) return "as it is";
  return "workspace";
}

/** The alternatives of a pattern that begins with braces, otherwise the pattern. */
function beginningsOf(pattern: string): readonly string[] {
  const parts = alternativesAtStart(pattern);
  return parts.length > 1 ? parts.flatMap(beginningsOf) : [pattern];
}

/** Splits leading braces at their own commas, not at those of nested braces. */
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
    throw new RuleSyntaxError("A path pattern cannot contain `..`.", at, "Write the absolute path.");
  }
  if (pattern.includes("\\")) throw new RuleSyntaxError("Use `/` in paths.", at);
}

function homeOf({ home, at }: PatternContext): string {
  if (home === undefined) throw new RuleSyntaxError("`~` has no value here.", at, "Write the absolute path.");
  if (!home.startsWith("/") || /[*?{}]/.test(home)) {
    throw new RuleSyntaxError("The home folder is not an absolute path without wildcards.", at);
  }
  return home.replace(/(?<!\/)\/+$/, "");
}

/** Braces contain alternatives or the name of a variable. */
function checkBraces(pattern: string, { at, variables }: PatternContext): void {
  let rest = pattern;
  for (let found = /\{([^{}]*)\}/.exec(rest); found !== null; found = /\{([^{}]*)\}/.exec(rest)) {
    const inner = found[1] as string;
    const isKnown = isKnownVariable(inner, variables ?? (beginsWithVariable(found[0]) ? [inner] : []));
    if (!inner.includes(",") && !isKnown) throw unknownVariable(inner, at, variables);
    rest = rest.replace(found[0], "x");
  }
  if (/[{}]/.test(rest))
    throw new RuleSyntaxError("The braces do not close.", at, "Write e.g. `{src,test}/**`.");
}

function beginsWithVariable(pattern: string): boolean {
  return firstVariable(pattern)?.before === "";
}

function unknownVariable(name: string, at: number, declared: readonly string[] = []): RuleSyntaxError {
  const known = [...new Set([...STANDARD_VARIABLES, ...declared])];
  const closest = closestName(name, known);
  const hint =
    closest === undefined
      ? `Write alternatives as {a,b}, or one of {${known.join("}, {")}}.`
      : `Did you mean {${closest}}?`;
  return new RuleSyntaxError(`Unknown variable {${name}}.`, at, hint);
}

/**
 * Why a written rule is invalid, or `undefined`. Patterns are also checked for tools whose targets are known to be
 * paths or commands; `ruleError` checks those of capabilities only.
 */
export function writtenRuleError(rule: Rule): string | undefined {
  return ruleError(rule) ?? (rule.pattern === undefined ? undefined : ruleError(byCapability(rule)));
}

function byCapability(rule: Rule): Rule {
  if (isAboutPaths(rule.permission)) return { ...rule, permission: "fs.read" };
  return /^bash(?:$|\.)/.test(rule.permission) ? { ...rule, permission: "shell.run" } : rule;
}
