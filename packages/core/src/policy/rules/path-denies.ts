import type { DeniedAccess, Effect, PathDenies } from "../../contract/call/effect.ts";
import type { PolicyContext, PolicyMode } from "../../contract/policy/decision.ts";
import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import { classOfName } from "../../file-names/name-class.ts";
import { coversText, expandBraces } from "../../file-names/text-pattern.ts";
import { alternativesOf, compileGlob, type TargetPattern } from "../patterns/compile-glob.ts";
import { indexPatterns } from "../patterns/pattern-index.ts";
import type { Moment } from "./moment.ts";
import {
  type AppliedRule,
  isDeny,
  overrides,
  type RuleFamilies,
  type RuleSet,
  winnerOf,
} from "./rule-set.ts";

export interface DenyQuestion {
  readonly rules: RuleSet;
  readonly tool: PolicyTool;
  readonly action: string | undefined;
  readonly context: PolicyContext;
  /** For the `when` of rules; `undefined` where no rule has one. */
  readonly moment: Moment | undefined;
  /** Whether a deny applies in the mode of the policy. */
  readonly applies: (deny: AppliedRule) => boolean;
}

type Access = keyof DeniedAccess;
const ACCESSES: readonly Access[] = ["read", "write", "delete"];

export interface DenyAnswer {
  /** `undefined` where no deny could apply to any path. */
  readonly denies: PathDenies | undefined;
  /** Whether the answer depends on the policy context. */
  readonly isConditional: boolean;
}

/** What the rules deny on paths to a tool. */
export function pathDenies(asked: DenyQuestion): DenyAnswer {
  const { rules, tool, action, context } = asked;
  // The answer holds until the command ends, whatever taints the session meanwhile.
  const taint = new Set(context.taint);
  const question = { ...asked, context: { ...context, taint } };
  const named = ACCESSES.map((one) => rules.naming(tool, action, `fs.${one}`));
  const isConditional = named
    .flatMap(({ ofTool, ofCapability, ofAll }) => [...ofTool, ...ofCapability, ...ofAll])
    .some(({ conditions }) => conditions.length > 0);
  const views = ACCESSES.flatMap((one, at) => viewOf(one, named[at] as RuleFamilies, question) ?? []);
  return { denies: views.length === 0 ? undefined : deniesOf(views), isConditional };
}

function deniesOf(views: readonly View[]): PathDenies {
  const denies = views.flatMap((view) => view.denies);
  // Most paths are not denied: one lookup is enough.
  const index = indexPatterns(
    denies.flatMap(({ patterns }) =>
      patterns.map((pattern) => ({ pattern, grip: "mayMatch" as const, entry: pattern })),
    ),
  );
  const isMet = (path: string) => index.find(path, "path").length > 0;
  const walked = [...new Set(views.flatMap((view) => view.walked))].map(compileGlob);
  const segments = new Set(denies.flatMap(({ patterns }) => patterns.flatMap(tellingSegments)));
  return Object.freeze<PathDenies>({
    at: (path) => (isMet(path) ? access(views, (view) => view.at(path)) : undefined),
    beneath: (folder) => (isMet(folder) ? access(views, (view) => view.beneath(folder)) : undefined),
    reaches: (folder) => walked.some((pattern) => pattern.mayMatch(treeOf(folder), "path")),
    names(folder) {
      const name = folder.slice(folder.lastIndexOf("/") + 1);
      return [...segments].some((segment) => coversText(segment, name));
    },
  });
}

/** The segments of a pattern that match particular names only. */
function tellingSegments(pattern: string): readonly string[] {
  const alternatives = alternativesOf(pattern) ?? [];
  return alternatives.flatMap((path) => path.split("/")).filter((segment) => !/^[*?]*$/.test(segment));
}

function access(
  views: readonly View[],
  deniedBy: (view: View) => string | undefined,
): DeniedAccess | undefined {
  const found = views.flatMap((view) => {
    const rule = deniedBy(view);
    return rule === undefined ? [] : [[view.access, rule] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The denies on one access. */
interface View {
  readonly access: Access;
  readonly denies: readonly AppliedRule[];
  /** Patterns of what has to be looked for. */
  readonly walked: readonly string[];
  at(path: string): string | undefined;
  beneath(folder: string): string | undefined;
}

function viewOf(one: Access, named: RuleFamilies, question: DenyQuestion): View | undefined {
  const { rules, tool, action, context, moment, applies } = question;
  const capability = `fs.${one}`;
  const families = applicableRules(named, capability, question);
  const denies = [...new Set([...families.ofTool, ...families.ofCapability, ...families.ofAll])].filter(
    (rule) => isDeny(rule) && applies(rule),
  );
  if (denies.length === 0) return undefined;
  return {
    access: one,
    denies,
    walked: denies.filter(({ rule }) => !heldByName(rule.pattern, one)).flatMap(({ patterns }) => patterns),
    at(path) {
      const effect: Effect = { capability, target: path };
      const winner = winnerOf(rules.matching(tool, action, effect), effect, context, moment);
      return winner !== undefined && isDeny(winner) && applies(winner) ? winner.words : undefined;
    },
    beneath: (folder) => denies.find((deny) => deniesAll(deny, folder, families))?.words,
  };
}

/** The rules whose conditions hold now. */
function applicableRules(
  { ofTool, ofCapability, ofAll }: RuleFamilies,
  capability: string,
  { context, moment }: DenyQuestion,
): RuleFamilies {
  // No target: an expression that asks for it cannot be evaluated, and a deny with it holds.
  const effect: Effect = { capability, target: "" };
  const holding = (rules: readonly AppliedRule[]) =>
    rules.filter(({ conditions }) => conditions.every((holds) => holds(effect, context, moment)));
  return { ofTool: holding(ofTool), ofCapability: holding(ofCapability), ofAll: holding(ofAll) };
}

/** Whether a deny covers a folder and everything below it, and no rule that could override it applies there. */
function deniesAll(
  deny: AppliedRule,
  folder: string,
  { ofTool, ofCapability, ofAll }: RuleFamilies,
): boolean {
  const tree = treeOf(folder);
  if (!globsOf(deny).some((glob) => glob.matches(tree, "path"))) return false;
  const isNotOverridden = (family: readonly AppliedRule[]) =>
    ![...family, ...ofAll].some(
      (other) => overrides(other, deny) && globsOf(other).some((glob) => glob.mayMatch(tree, "path")),
    );
  const isOf = (family: readonly AppliedRule[]) => family.includes(deny);
  return [ofTool, ofCapability].some((family) => (isOf(family) || isOf(ofAll)) && isNotOverridden(family));
}

const compiled = new WeakMap<readonly string[], readonly TargetPattern[]>();

function globsOf({ patterns }: AppliedRule): readonly TargetPattern[] {
  const known = compiled.get(patterns);
  if (known !== undefined) return known;
  const globs = patterns.map(compileGlob);
  compiled.set(patterns, globs);
  return globs;
}

function treeOf(folder: string): string {
  return `${folder === "/" ? "" : folder}/**`;
}

/** As for a whole call: the mode observe allows a deny that is not final. */
export function appliesIn(mode: PolicyMode): (deny: AppliedRule) => boolean {
  return ({ decision }) => mode !== "observe" || decision.isFinal === true;
}

/** No file is called this. */
const ANY = "\u{10fffd}";

/**
 * Whether the sandbox already hides or guards everything that a deny matches, because of its name: secrets,
 * and, for changes, auto-executed configuration. Only patterns for any folder, because the start of a path says
 * nothing; and only names without wildcards, because not every name that `*.pem` matches is a secret.
 */
function heldByName(pattern: string | undefined, access: keyof DeniedAccess): boolean {
  if (pattern?.startsWith("**/") !== true) return false;
  return expandBraces(pattern)?.every((path) => isHeld(path.replace(/(?:\/\*\*)+$/, ""), access)) === true;
}

function isHeld(path: string, access: keyof DeniedAccess): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/[*?]/.test(name)) return false;
  const { isSecret, isConfiguration } = classOfName(`/${path.replaceAll(/[*?]+/g, ANY)}`);
  return isSecret || (isConfiguration && access !== "read");
}
