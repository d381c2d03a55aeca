import type { Effect, Variables } from "../../contract/call/effect.ts";
import type { ConditionLanguage, PolicyContext } from "../../contract/policy/decision.ts";
import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import type { Action, Rule } from "../../contract/policy/rule.ts";
import { mapNamingAll, ToolkeepError } from "../../contract/values/error.ts";
import { withApprovers } from "../approvers/with-approvers.ts";
import { compileGlob, kindOfTarget, type TargetKind, type TargetPattern } from "../patterns/compile-glob.ts";
import type { PatternIndex } from "../patterns/pattern-index.ts";
import { type CompiledRule, compileRule, indexRules } from "./compile-rule.ts";
import type { Moment } from "./moment.ts";
import { type Named, Permissions } from "./permissions.ts";

/** Compiled rules, for one effect of one tool at a time. */
export interface RuleSet {
  /** The rules that match the effect, whatever their conditions. Can be cached: it depends on nothing else. */
  matching(tool: PolicyTool, action: string | undefined, effect: Effect): Matching;
  /** The rules that name the tool or the capability, whatever their patterns and conditions. */
  naming(tool: PolicyTool, action: string | undefined, capability: string): RuleFamilies;
  /** Whether a rule has a `when`. */
  readonly hasWhen: boolean;
  /** How long earlier calls count, in milliseconds; 0 where they do not. */
  readonly longestWindowMs: number;
}

/** Rules by family. Those on the tool and those on the capability are evaluated separately; those on `*` apply to both. */
export interface RuleFamilies {
  readonly ofTool: readonly AppliedRule[];
  readonly ofCapability: readonly AppliedRule[];
  readonly ofAll: readonly AppliedRule[];
}

/** A rule where it applies: how closely its permission names the tool, or the capability. */
export interface AppliedRule extends CompiledRule {
  readonly level: number;
}

/** The rules that match one effect, by family. */
export interface Matching extends RuleFamilies {
  /** For a tree that is read in part: the rules against parts of it, which do not apply to the rest. */
  readonly ofParts: readonly AppliedRule[];
  /** Whether any of them has conditions; if not, the winner is always the same. */
  readonly isConditional: boolean;
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

/** @throws ToolkeepError `invalid_rule`. */
export function compileRules(
  rules: readonly Rule[],
  variables: Variables = {},
  language?: ConditionLanguage,
): RuleSet {
  if (!Array.isArray(rules)) throw new ToolkeepError("invalid_rule", "Rules are given as a list.");
  const byPermission = new Map<string, CompiledRule[]>();
  let longestWindowMs = 0;
  for (const compiled of mapNamingAll(rules, (rule) => compileRule(rule, variables, language))) {
    const { rule } = compiled;
    if (rule.label !== undefined) continue;
    longestWindowMs = Math.max(longestWindowMs, compiled.longestWindowMs);
    const list = byPermission.get(rule.permission);
    if (list === undefined) byPermission.set(rule.permission, [compiled]);
    else list.push(compiled);
  }
  const indexes = new Map([...byPermission].map(([permission, list]) => [permission, indexRules(list)]));
  const general = indexes.get("*");
  const permissions = new Permissions(indexes);

  return {
    hasWhen: rules.some(({ when }) => when !== undefined),
    longestWindowMs,
    matching(tool, action, effect) {
      const { target } = effect;
      const kind = effect.visible === true ? "visible" : kindOfTarget(effect.capability);
      const ofTool = unlessDynamic(effect, applied(permissions.ofTool(tool, action), target, kind));
      const ofCapability = unlessDynamic(
        effect,
        applied(permissions.ofCapability(effect.capability), target, kind),
      );
      const ofAll = unlessDynamic(
        effect,
        general === undefined ? NONE : applied([{ level: 0, index: general }], target, kind),
      );
      const isConditional =
        ofTool.some(hasConditions) || ofCapability.some(hasConditions) || ofAll.some(hasConditions);
      const whole = { ofTool, ofCapability, ofAll, ofParts: NONE, isConditional };
      return effect.partial === true ? withoutParts(whole, target, kind) : whole;
    },
    naming(tool, action, capability) {
      const filed = new Map([...indexes].map(([permission, index]) => [index, byPermission.get(permission)]));
      const rulesOf = (named: readonly Named<PatternIndex<CompiledRule>>[]) =>
        named.flatMap(({ level, index }) => (filed.get(index) ?? []).map((rule) => ({ ...rule, level })));
      return {
        ofTool: rulesOf(permissions.ofTool(tool, action)),
        ofCapability: rulesOf(permissions.ofCapability(capability)),
        ofAll: rulesOf(general === undefined ? [] : [{ level: 0, index: general }]),
      };
    },
  };
}

/** A rule against a part of the tree applies to that part only. */
function withoutParts(whole: Matching, target: string, kind: TargetKind): Matching {
  const folder = target.slice(0, -"**".length);
  const isAboutAll = ({ rule, patterns }: AppliedRule) =>
    rule.action === "allow" ||
    patterns.some((pattern) => meansAll(compileGlob(pattern), { target, folder, kind }));
  const { ofTool, ofCapability, ofAll } = whole;
  return {
    ...whole,
    ofTool: ofTool.filter(isAboutAll),
    ofCapability: ofCapability.filter(isAboutAll),
    ofAll: ofAll.filter(isAboutAll),
    ofParts: [...ofTool, ...ofCapability, ...ofAll].filter((rule) => !isAboutAll(rule)),
  };
}

interface Tree {
  readonly target: string;
  /** With a slash at its end. */
  readonly folder: string;
  readonly kind: TargetKind;
}

/** No file has this name: a pattern that matches it matches every name. */
const ANY_NAME = "\u{10fffd}";

/** Whether a pattern matches everything in a tree, in the wide sense that denies and asks have. */
function meansAll(pattern: TargetPattern, { target, folder, kind }: Tree): boolean {
  if (pattern.matches(target, kind)) return true;
  return [ANY_NAME, `${ANY_NAME}/${ANY_NAME}`].every((name) => pattern.mayMatch(`${folder}${name}`, kind));
}

/** The rules against parts of a tree whose conditions hold. */
export function rulesOnParts(
  { ofParts }: Matching,
  effect: Effect,
  context: PolicyContext,
  moment?: Moment,
): readonly AppliedRule[] {
  return ofParts.filter(({ conditions }) => conditions.every((holds) => holds(effect, context, moment)));
}

/** The rules that match the target, each once, with the level of its permission. */
function applied(
  named: readonly Named<PatternIndex<CompiledRule>>[],
  target: string,
  kind: TargetKind,
): readonly AppliedRule[] {
  if (named.length === 0) return NONE;
  const rules: AppliedRule[] = [];
  for (const { level, index } of named) {
    const found = index.find(target, kind);
    // A rule has several patterns where its variables have several values.
    for (const rule of found.length > 1 ? new Set(found) : found) rules.push({ ...rule, level });
  }
  return rules;
}

const EVERYTHING: ReadonlySet<string | undefined> = new Set([undefined, "*", "**"]);

/** The start of a line that is not plain does not tell what it runs: only a rule on `shell.dynamic` itself allows it. */
function unlessDynamic({ capability }: Effect, rules: readonly AppliedRule[]): readonly AppliedRule[] {
  if (capability !== "shell.dynamic") return rules;
  return rules.filter(
    ({ rule }) => rule.action !== "allow" || rule.permission === capability || EVERYTHING.has(rule.pattern),
  );
}

function hasConditions({ conditions }: CompiledRule): boolean {
  return conditions.length > 0;
}

const NONE: readonly AppliedRule[] = [];

/**
 * The rule that decides. Two families are evaluated separately and the stricter wins: rules on the tool for
 * the call, rules on a capability for its effects. A deny is overridden only by a more specific rule
 * of another scope and its own family, and a deny of the manifest by none. If no family
 * matches, the rules on `*` apply. Where final rules match that do not deny, only these are evaluated.
 */
export function winnerOf(
  matching: Matching,
  effect: Effect,
  context: PolicyContext,
  moment?: Moment,
): AppliedRule | undefined {
  const speaking = ({ conditions }: AppliedRule) =>
    conditions.every((holds) => holds(effect, context, moment));
  const only = (rules: readonly AppliedRule[]) => (matching.isConditional ? rules.filter(speaking) : rules);
  const [ofTool, ofCapability, ofAll] = [
    only(matching.ofTool),
    only(matching.ofCapability),
    only(matching.ofAll),
  ];
  // Most effects match one rule, or none.
  const matched = ofTool.length + ofCapability.length + ofAll.length;
  if (matched < 2) return ofTool[0] ?? ofCapability[0] ?? ofAll[0];
  const denies = [...standingDenies(ofTool, ofAll), ...standingDenies(ofCapability, ofAll)];
  const denied = denies.length > 1 ? denies.toSorted(bySpecificity)[0] : denies[0];
  const hasFinal = ofTool.some(isFinal) || ofCapability.some(isFinal) || ofAll.some(isFinal);
  const final = hasFinal
    ? best(ofTool.filter(isFinal), ofCapability.filter(isFinal), ofAll.filter(isFinal))
    : undefined;
  if (denied !== undefined) return final?.rule.action === "ask" ? finallyDenied(denied) : denied;
  return withApprovers(final ?? best(ofTool, ofCapability, ofAll), [ofTool, ofCapability, ofAll], RANKING);
}

const RANKING = { best, compare: bySpecificity };

/** The rule that decides if none denies. */
function best(
  ofTool: readonly AppliedRule[],
  ofCapability: readonly AppliedRule[],
  ofAll: readonly AppliedRule[],
): AppliedRule | undefined {
  const byTool = mostSpecific(ofTool, ofAll);
  const byCapability = mostSpecific(ofCapability, ofAll);
  if (byTool === undefined || byCapability === undefined)
    return byTool ?? byCapability ?? mostSpecific(ofAll);
  return STRICTNESS[byCapability.rule.action] > STRICTNESS[byTool.rule.action] ? byCapability : byTool;
}

function isFinal({ rule }: AppliedRule): boolean {
  return rule.final === true;
}

/** A mode that lets a deny pass would let the final ask pass with it. */
function finallyDenied(denied: AppliedRule): AppliedRule {
  return { ...denied, decision: { ...denied.decision, isFinal: true } };
}

export function isStricter(one: Action, other: Action): boolean {
  return STRICTNESS[one] > STRICTNESS[other];
}

/** The denies that are not overridden. Adding a deny never changes the decision about anything that it does not match. */
function standingDenies(
  family: readonly AppliedRule[],
  ofAll: readonly AppliedRule[],
): readonly AppliedRule[] {
  const denies = [...family.filter(isDeny), ...ofAll.filter(isDeny)];
  if (denies.length === 0) return denies;
  return denies.filter((deny) => ![...family, ...ofAll].some((other) => overrides(other, deny)));
}

export function isDeny({ rule }: AppliedRule): boolean {
  return rule.action === "deny";
}

/** Whether a rule overrides a deny where both match. */
export function overrides(other: AppliedRule, deny: AppliedRule): boolean {
  if (deny.scope === "manifest" || other.rule.action === "deny" || other.scope === deny.scope) return false;
  if (other.rule.yieldsToDeny) return false;
  return (other.level - deny.level || other.literal - deny.literal) > 0;
}

/** An allow of a project's file yields to every ask of another file, also to one of `others`. */
function mostSpecific(
  family: readonly AppliedRule[],
  others: readonly AppliedRule[] = [],
): AppliedRule | undefined {
  const isAsked = family.some(asksForAll) || others.some(asksForAll);
  let found: AppliedRule | undefined;
  for (const one of family) {
    const yields = isAsked && one.rule.yieldsToAsk === true && one.rule.action === "allow";
    if (isDeny(one) || yields) continue;
    if (found === undefined || bySpecificity(one, found) < 0) found = one;
  }
  return found;
}

function asksForAll({ rule }: AppliedRule): boolean {
  return rule.action === "ask" && rule.yieldsToAsk !== true;
}

/** Final denies first, then the closer name, the longer literal, the stricter action; the text decides ties. */
function bySpecificity(one: AppliedRule, other: AppliedRule): number {
  return (
    Number(isFinalDeny(other)) - Number(isFinalDeny(one)) ||
    other.level - one.level ||
    other.literal - one.literal ||
    STRICTNESS[other.rule.action] - STRICTNESS[one.rule.action] ||
    Number(other.decision.neverRemember === true) - Number(one.decision.neverRemember === true) ||
    // Of two that say the same, the one that was written for this policy.
    Number(isBuiltIn(one)) - Number(isBuiltIn(other)) ||
    Number(one.rule.because === undefined) - Number(other.rule.because === undefined) ||
    (one.words < other.words ? -1 : 1)
  );
}

function isBuiltIn({ rule }: AppliedRule): boolean {
  return rule.at?.startsWith("toolkeep:") === true;
}

function isFinalDeny({ rule, decision }: AppliedRule): boolean {
  return rule.action === "deny" && decision.isFinal === true;
}
