import type { ApprovalAnswer } from "../contract/approval.ts";
import type { ConfinedCall, RegisteredTool } from "../contract/call.ts";
import type { Authorizer, Decision, Rule, Watchdog, WatchdogVerdict } from "../contract/decision.ts";
import type { Effect } from "../contract/effect.ts";
import { errorText } from "../contract/error-text.ts";
import type { Variables } from "../contract/requirements.ts";
import type { Tool } from "../contract/tool.ts";
import { approvalKey } from "./approval-key.ts";
import { inTime } from "./in-time.ts";
import { compileRules, stricter } from "./rule-set.ts";

export interface RuleAuthorizerOptions {
  readonly rules?: readonly Rule[];
  readonly watchdogs?: readonly Watchdog[];
  /** What `{workspace}` and the others stand for in the rules' patterns. */
  readonly variables?: Variables;
}

const WATCHDOG_TIMEOUT_MS = 5_000;

/** Most decisions repeat; more than this many different ones are decided afresh. */
const MOST_REMEMBERED = 10_000;

/** The embedder put it there, so nothing that it does not do needs asking for. */
const TRUSTED = new Set(["bundled", "code"]);

/**
 * Decides by rules, remembered approvals and watchdogs. What no rule speaks of asks, unless it has no
 * effects and its tool is the embedder's own.
 */
export function ruleAuthorizer({
  rules = [],
  watchdogs = [],
  variables = {},
}: RuleAuthorizerOptions = {}): Authorizer {
  const ruleSet = compileRules(rules, variables);
  const approved = new Set<string>();
  const decided = new Map<RegisteredTool, Map<string, Map<string, Decision>>>();
  let remembered = 0;

  function decideEffect(tool: RegisteredTool, effect: Effect): Decision {
    const ofTool = decided.get(tool) ?? insert(decided, tool, new Map<string, Map<string, Decision>>());
    const targets =
      ofTool.get(effect.capability) ?? insert(ofTool, effect.capability, new Map<string, Decision>());
    const known = targets.get(effect.target);
    if (known !== undefined) return known;
    if (remembered >= MOST_REMEMBERED) {
      decided.clear();
      remembered = 0;
    }
    remembered += 1;
    return insert(targets, effect.target, ruleSet.judge(tool, effect) ?? byDefault(tool));
  }

  function byRules(call: ConfinedCall): Decision {
    const { effects, found } = call;
    if (effects.length === 0)
      return unlessApproved(call, ruleSet.judge(found, NO_EFFECT) ?? withoutEffects(found));
    let decision = decideEffect(found, effects[0] as Effect);
    for (let index = 1; index < effects.length; index += 1) {
      decision = stricter(decision, decideEffect(found, effects[index] as Effect));
    }
    return unlessApproved(call, decision);
  }

  function unlessApproved(call: ConfinedCall, decision: Decision): Decision {
    return decision.action === "ask" && approved.has(memoryKey(call)) ? APPROVED : decision;
  }

  return {
    decide(call) {
      const decision = byRules(call);
      if (decision.action === "deny" || watchdogs.length === 0) return decision;
      return underWatchdogs(call, decision, watchdogs);
    },
    remember(call: ConfinedCall, answer: ApprovalAnswer) {
      if (answer.verdict === "always") approved.add(memoryKey(call));
    },
  };
}

const NO_EFFECT: Effect = { capability: "none", target: "" };
const APPROVED: Decision = { action: "allow", layer: "approval", ground: "approved before" };

/** Bound to where the tool came from and to what it was seen to do, so that a shadowing tool asks again. */
function memoryKey(call: ConfinedCall): string {
  const effects = call.effects.map(({ capability, target }) => `${capability} ${target}`).toSorted();
  const { name, originName, tool } = call.found;
  return JSON.stringify([name, originName, definitionOf(tool), approvalKey(call), effects]);
}

const definitions = new WeakMap<Tool, number>();
let lastDefinition = 0;

/** A number for each tool value: one that was reloaded is another, whatever it calls itself. */
function definitionOf(tool: Tool): number {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  lastDefinition += 1;
  definitions.set(tool, lastDefinition);
  return lastDefinition;
}

function byDefault({ tool, origin }: RegisteredTool): Decision {
  if (!tool.gated && TRUSTED.has(origin.source) && tool.mode !== "local") {
    return { action: "allow", layer: "default", ground: `not gated, ${tool.mode}` };
  }
  return { action: "ask", layer: "default", ground: "no rule", reason: "No rule speaks of this." };
}

function withoutEffects(found: RegisteredTool): Decision {
  const { mode } = found.tool;
  const isHarmless = TRUSTED.has(found.origin.source) && mode !== "destructive" && mode !== "local";
  return isHarmless ? { action: "allow", layer: "default", ground: "no effects" } : byDefault(found);
}

function underWatchdogs(
  call: ConfinedCall,
  decision: Decision,
  watchdogs: readonly Watchdog[],
): Decision | Promise<Decision> {
  let narrowed = decision;
  for (let index = 0; index < watchdogs.length; index += 1) {
    const watchdog = watchdogs[index] as Watchdog;
    let verdict: WatchdogVerdict | Promise<WatchdogVerdict>;
    try {
      verdict = watchdog.judge(call);
    } catch (error) {
      return failedWatchdog(watchdog, error);
    }
    if (verdict instanceof Promise) {
      const rest = watchdogs.slice(index + 1);
      return inTime(verdict, WATCHDOG_TIMEOUT_MS).then(
        (late) => underWatchdogs(call, narrow(narrowed, watchdog, late), rest),
        (error: unknown) => failedWatchdog(watchdog, error),
      );
    }
    narrowed = narrow(narrowed, watchdog, verdict);
    if (narrowed.action === "deny") return narrowed;
  }
  return narrowed;
}

function narrow(decision: Decision, watchdog: Watchdog, verdict: WatchdogVerdict): Decision {
  if (verdict?.action === "allow") return decision;
  if (verdict?.action !== "ask" && verdict?.action !== "deny") {
    return failedWatchdog(watchdog, new Error("it gave no verdict that is known"));
  }
  return stricter(decision, {
    action: verdict.action,
    layer: "watchdog",
    ground: watchdog.name,
    reason: verdict.reason,
  });
}

function failedWatchdog(watchdog: Watchdog, error: unknown): Decision {
  const reason = `The watchdog ${watchdog.name} failed: ${errorText(error)}`;
  return { action: "deny", layer: "watchdog", ground: watchdog.name, reason };
}

function insert<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value);
  return value;
}
