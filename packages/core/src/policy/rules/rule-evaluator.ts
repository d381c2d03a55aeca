import {
  type CommandMeaning,
  type Effect,
  type PathDenies,
  unknownFile,
} from "../../contract/call/effect.ts";
import type { Decision, PolicyContext, PolicyMode } from "../../contract/policy/decision.ts";
import type { PolicyCall, PolicyTool } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { isOwn } from "../../contract/values/origin.ts";
import { askingBoth } from "../approvers/required-approvers.ts";
import { actionOf } from "./called-action.ts";
import { stepOf, unmetConditions } from "./evaluation-steps.ts";
import { Moment } from "./moment.ts";
import { appliesIn, pathDenies } from "./path-denies.ts";
import type { PolicyInput } from "./policy-call.ts";
import {
  type AppliedRule,
  isStricter,
  type Matching,
  type RuleSet,
  rulesOnParts,
  winnerOf,
} from "./rule-set.ts";
import { NO_RULE_MATCHES, unmatchedWords } from "./unmatched-words.ts";

/** Most decisions repeat; the cache is cleared when it has more entries. */
const MOST_REMEMBERED = 10_000;

/** A cached evaluation of an effect: the decision itself, unless it depends on conditions. */
interface Known {
  readonly matching: Matching;
  readonly decision: Decision | undefined;
  /** What is said where no rule matches, once it was said. */
  unmatched?: Decision;
}

/** The evaluations of one kind of effect of a tool, by target. */
interface Remembered {
  readonly tool: PolicyTool;
  readonly what: string;
  readonly targets: Map<string, Known>;
}

/** Evaluates the rules for every effect of a call. */
export class RuleEvaluator {
  readonly #rules: RuleSet;
  readonly #known = new Map<PolicyTool, Map<string, Map<string, Known>>>();
  /** One per tool and action, as a key for the cache. */
  readonly #denies = new Map<PolicyTool, Map<string | undefined, PathDenies | undefined>>();
  #remembered = 0;
  /** What the last call was about: the next one is often of the same tool. */
  #last: Remembered | undefined;

  constructor(rules: RuleSet) {
    this.#rules = rules;
  }

  /** A call is allowed if each of its effects is. An effect that no rule matches asks. */
  decide(input: PolicyInput): Decision {
    const { effects } = input.call;
    const action = actionOf(input.call);
    if (effects.length === 0) return this.#withoutEffects(action, input);
    let decision = this.#evaluate(action, effects[0] as Effect, input);
    for (let index = 1; index < effects.length; index += 1) {
      decision = stricterOf(decision, this.#evaluate(action, effects[index] as Effect, input));
    }
    return decision;
  }

  /** Patterns of what the call must leave out of the trees that it reads in part, in this mode. */
  leavesOut({ call, context }: Omit<PolicyInput, "trace">, mode: PolicyMode): readonly string[] {
    const action = actionOf(call);
    const moment = this.#momentOf(call, context);
    const rules = call.effects
      .filter(({ partial }) => partial === true)
      .flatMap((effect) =>
        rulesOnParts(this.#find(call.found, action, effect).matching, effect, context, moment),
      );
    return [...new Set(rules.filter((one) => holdsIn(mode, one)).flatMap(({ patterns }) => patterns))];
  }

  /** What the rules deny on paths to the tool of a call, whatever the call names. */
  pathDenies({ call, context }: Omit<PolicyInput, "trace">, mode: PolicyMode): PathDenies | undefined {
    const action = actionOf(call);
    const ofTool = this.#denies.get(call.found);
    if (ofTool?.has(action)) return ofTool.get(action);
    const question = {
      rules: this.#rules,
      tool: call.found,
      action,
      context,
      moment: this.#momentOf(call, context),
      applies: appliesIn(mode),
    };
    const { denies, isConditional } = pathDenies(question);
    if (!isConditional) insert(this.#denies, call.found, new Map(ofTool ?? [])).set(action, denies);
    return denies;
  }

  /** The rules that decide about a command and about what it does, where they allow it. */
  allowing(effect: Effect, { call, context, moment }: PolicyInput): readonly Rule[] {
    const { meaning } = effect;
    const found = [this.#find(call.found, actionOf(call), effect).matching];
    for (const capability of meaning?.does ?? [])
      found.push(this.#find(call.found, undefined, { capability, target: meaning?.program ?? "" }).matching);
    return found.flatMap((matching) => {
      const rule = winnerOf(matching, effect, context, moment)?.rule;
      return rule?.action === "allow" ? [rule] : [];
    });
  }

  #momentOf(call: PolicyCall, context: PolicyContext): Moment | undefined {
    return this.#rules.hasWhen ? new Moment(call, context) : undefined;
  }

  #evaluate(action: string | undefined, effect: Effect, input: PolicyInput): Decision {
    const { call, trace } = input;
    const known = this.#find(call.found, action, effect);
    const said = known.decision ?? this.#decided(known.matching, effect, input) ?? NO_RULE;
    const isImplied = effect.implied === true && (said === NO_RULE || isMove(effect, said, known, input));
    const decision = isImplied
      ? IMPLIED
      : said === NO_RULE
        ? noRuleFor(effect, known)
        : ofPattern(said, effect);
    const meant = effect.meaning === undefined ? undefined : this.#evaluateMeaning(effect.meaning, input);
    if (meant !== undefined && (said === NO_RULE || isStricter(meant.action, decision.action))) {
      trace?.push(stepOf(meant, effect));
      return meant;
    }
    trace?.push(stepOf(decision, effect));
    return decision;
  }

  /** What the rules on what a command does say: the strictest of them. They allow it only if they allow all that it does. */
  #evaluateMeaning({ program, does, isWhole }: CommandMeaning, input: PolicyInput): Decision | undefined {
    let decision: Decision | undefined;
    let isCovered = isWhole;
    for (const capability of does) {
      const effect: Effect = { capability, target: program, known: "inferred" };
      const matching = this.#find(input.call.found, undefined, effect).matching;
      const said = this.#decided({ ...matching, ofTool: [], ofAll: [] }, effect, input);
      if (said === undefined) isCovered = false;
      else decision = decision === undefined ? said : stricterOf(decision, said);
    }
    return isCovered || decision?.action !== "allow" ? decision : undefined;
  }

  /** The decision of the rule that applies. If its condition could not be evaluated, the reason says so. */
  #decided(matching: Matching, effect: Effect, input: PolicyInput): Decision | undefined {
    const { context, moment, trace } = input;
    if (moment !== undefined) trace?.push(...unmetConditions(matching, effect, input));
    const winner = winnerOf(matching, effect, context, moment);
    const failure = winner === undefined ? undefined : moment?.failureOf(winner.rule);
    if (winner === undefined || failure === undefined) return winner?.decision;
    const { decision } = winner;
    return {
      ...decision,
      reason: `${decision.reason ?? ""} Its condition could not be evaluated: ${failure}.`,
    };
  }

  #withoutEffects(action: string | undefined, input: PolicyInput): Decision {
    const { call, trace } = input;
    const { matching } = this.#find(call.found, action, NO_EFFECT);
    const decision = this.#decided(matching, NO_EFFECT, input) ?? harmless(call.found);
    trace?.push(stepOf(decision, undefined));
    return decision;
  }

  #find(tool: PolicyTool, action: string | undefined, effect: Effect): Known {
    const kind = effect.partial === true ? " in part" : effect.visible === true ? " by a shell" : "";
    const capability = `${effect.capability}${kind}`;
    const what = action === undefined ? capability : `${action}\n${capability}`;
    const known = this.#targets(tool, what).get(effect.target);
    if (known !== undefined) return known;
    if (this.#remembered >= MOST_REMEMBERED) {
      this.#known.clear();
      this.#denies.clear();
      this.#last = undefined;
      this.#remembered = 0;
    }
    this.#remembered += 1;
    const matching = this.#rules.matching(tool, action, effect);
    const decision = matching.isConditional
      ? undefined
      : (winnerOf(matching, effect, UNUSED)?.decision ?? NO_RULE);
    return insert(this.#targets(tool, what), effect.target, { matching, decision });
  }

  #targets(tool: PolicyTool, what: string): Map<string, Known> {
    if (this.#last?.tool === tool && this.#last.what === what) return this.#last.targets;
    const ofTool = this.#known.get(tool) ?? insert(this.#known, tool, new Map<string, Map<string, Known>>());
    const targets = ofTool.get(what) ?? insert(ofTool, what, new Map<string, Known>());
    this.#last = { tool, what, targets };
    return targets;
  }
}

/** As for a whole call: some modes allow what asks, and observe allows a deny that is not final. */
function holdsIn(mode: PolicyMode, { decision }: AppliedRule): boolean {
  if (mode === "observe" || decision.isFinal === true) return decision.isFinal === true;
  return mode !== "yolo" || decision.action === "deny" || decision.needs !== undefined;
}

/** What is moved is kept: a rule that asks about deleting in general, and names no file, does not mean it. */
function isMove(effect: Effect, said: Decision, { matching }: Known, input: PolicyInput): boolean {
  if (effect.capability !== "fs.delete" || said.action !== "ask") return false;
  if (said.isFinal === true || said.needs !== undefined) return false;
  const winner = winnerOf(matching, effect, input.context, input.moment);
  return winner?.rule.permission === "fs.delete" && winner.rule.pattern === undefined;
}

/** A pattern among the files of a command may stand for files that the rule is about, and for others. */
function ofPattern(decision: Decision, effect: Effect): Decision {
  const { capability, target, known } = effect;
  if (known !== "inferred" || decision.action === "allow" || decision.layer !== "rule") return decision;
  const { matchedBy, at } = decision;
  const name = target.slice(target.lastIndexOf("/") + 1);
  const unknown = unknownFile(effect);
  if (unknown !== undefined) return ofUnknownFile(decision, unknown);
  if (capability.startsWith("fs.") && FILLED_IN.test(name))
    return ofUnknownFile(decision, `Which file ${JSON.stringify(name)} is, is known only when it runs`);
  if (!capability.startsWith("fs.") || !SHELL_PATTERN.test(name)) return decision;
  const because = `The pattern ${JSON.stringify(name)} may stand for files that this rule protects`;
  return {
    ...decision,
    because,
    reason: `${because}: \`${matchedBy}\`${at === undefined ? "" : ` (${at})`}.`,
  };
}

/** A rule that denies some files does not deny a file of which nothing is known: it asks, in every mode and every time. */
function ofUnknownFile(decision: Decision, reason: string): Decision {
  const asking = { ...decision, because: reason, reason };
  if (decision.action !== "deny") return asking;
  const asked = { askedBy: ["rules"], askRules: [decision.matchedBy] };
  return { ...asking, ...asked, action: "ask", neverRemember: true, isFinal: true };
}

/** A name that is, or begins with, what the shell fills in. */
const FILLED_IN = /[$`]/;
/** Not `**`, which stands for files that cannot be determined, or for a tree. */
const SHELL_PATTERN = /^(?!\*\*?$).*[*?[]/;

/** If no rule has conditions, the policy context is not read. */
const UNUSED = Object.freeze({}) as PolicyContext;
const NO_EFFECT: Effect = { capability: "none", target: "" };

const NO_RULE: Decision = Object.freeze({
  action: "ask",
  layer: "default",
  matchedBy: "no rule",
  reason: NO_RULE_MATCHES,
  askedBy: ["rules"],
});

function noRuleFor(effect: Effect, known: Known): Decision {
  if (effect.note !== undefined) return { ...NO_RULE, reason: unmatchedWords(effect) };
  known.unmatched ??= { ...NO_RULE, reason: unmatchedWords(effect) };
  return known.unmatched;
}

/** It follows from another effect, which was evaluated. */
const IMPLIED: Decision = Object.freeze({ action: "allow", layer: "default", matchedBy: "implied" });

const NO_EFFECTS: Decision = Object.freeze({ action: "allow", layer: "default", matchedBy: "no effects" });

/** A call without effects needs no approval if the host application registered the tool as one that only reads. */
function harmless({ origin, tool: { mode, isModeGuessed } }: PolicyTool): Decision {
  return isOwn(origin) && mode === "read" && isModeGuessed !== true ? NO_EFFECTS : NO_RULE;
}

/** The stricter one; of two asks, the final one, or the one that is never remembered. */
function stricterOf(one: Decision, other: Decision): Decision {
  if (one.isFinal !== other.isFinal && one.action !== other.action) return finalOf(one, other);
  if (isStricter(other.action, one.action)) return other;
  if (one.action === "ask" && other.action === "ask") {
    if (one.isFinal !== other.isFinal) return one.isFinal ? askingBoth(one, other) : askingBoth(other, one);
    if (other.neverRemember && !one.neverRemember) return askingBoth(other, one);
    // A rule that asks is more than no rule, and `gated: false` applies only where there is no rule.
    if (one.layer === "default") return other.layer === "default" ? one : other;
    return askingBoth(one, other);
  }
  return one.action === "deny" && other.action === "deny" && other.isFinal ? other : one;
}

/** A deny in addition to a final ask is final: a mode that lets it pass would let the ask pass with it. */
function finalOf(one: Decision, other: Decision): Decision {
  const stricter = isStricter(other.action, one.action) ? other : one;
  return stricter.action === "deny" && stricter.isFinal !== true ? { ...stricter, isFinal: true } : stricter;
}

function insert<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value);
  return value;
}
