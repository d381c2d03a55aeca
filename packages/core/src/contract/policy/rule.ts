import type { EffectBasis } from "../call/effect.ts";
import type { Label } from "../call/result.ts";

/** What a rule does with a call. The strictest action of all effects of a call applies. */
export type Action = "allow" | "ask" | "deny";

/** Who wrote a rule. `manifest` is also what an organisation supplies: its denies are final. */
export type RuleScope = "manifest" | "project" | "session";

type Fact =
  /** Commands run in a sandbox that was verified to hold files and the network. */
  | "sandboxed"
  /** The user trusts the project, so that its own code may run without a sandbox. */
  | "trusted"
  /** The effect overrides what protects its target, e.g. a forced push. */
  | "forced"
  /** The effect changes nothing but versions in a `package.json`, of packages from the registry. */
  | "versions-only"
  /** The effect is a command that runs programs and files of the project and nothing else. */
  | "own-code"
  /** The effect is a command that sends a request to this machine, with nothing but its address, and shows the answer. */
  | "local-read"
  /** The session has read untrusted content. */
  | "untrusted"
  /** The session has read private data. */
  | "private"
  | `known ${EffectBasis}`
  | `user ${string}`
  | `group ${string}`
  | `tenant ${string}`
  | `agent ${string}`
  | `environment ${string}`
  | `role ${string}`;

/** When a rule applies. */
export type Condition = Fact | `not ${Fact}`;

/** Who must approve a call: so many different people of a group, by signature. The requester never counts. */
export interface RequiredApprovers {
  readonly group: string;
  readonly count: number;
  /** How long after the request, in milliseconds. */
  readonly withinMs?: number;
}

/**
 * A rule in its object form, for programs that make rules. People write lines: `"ask net.fetch *.weather.example"`.
 *
 * Rules on the tool and rules on the capability are evaluated separately, and the stricter result applies. Within
 * each, the more specific rule applies. A rule on `*` applies if no other rule matches. A deny is overridden by no rule
 * of its own scope, and a deny of the scope `manifest` by no rule at all.
 */
export interface Rule {
  /** A tool (`bash`) or its action (`git.push`), `mcp:github:get_*`, a capability (`fs.write`, `fs.*`), or `*`. */
  readonly permission: string;
  /**
   * Matched against the targets of the call's effects. Paths are absolute; in them `*` stays within a
   * segment and `**` does not. Command lines are matched word by word; a `*` at their end stands for
   * any further arguments. Elsewhere `*` matches anything. `?` is one character, `{a,b}` one of several,
   * `{workspace}` a variable. Default: everything.
   */
  readonly pattern?: string;
  readonly action: Action;
  /** Default: `manifest`. */
  readonly scope?: RuleScope;
  /** The rule applies only if all of these hold. */
  readonly if?: readonly Condition[];
  /**
   * The rule applies only if this expression holds, such as `args.amount > 100`. If it cannot be evaluated, an allow
   * does not apply, and an ask or a deny does. Needs `conditions` of the policy.
   */
  readonly when?: string;
  /**
   * Where final rules match, they decide without the others: no longer pattern, mode, stage machine, allow-list or
   * remembered answer loosens an ask or a deny. Denies and watchdogs still apply to a final allow. Not with the scope
   * `session`.
   */
  readonly final?: boolean;
  /** Every deny overrides it, however specific it is. Set for rules that an answer to an approval adds. */
  readonly yieldsToDeny?: boolean;
  /** An allow does not apply where an ask without this matches. Set for the rules of a project's file. */
  readonly yieldsToAsk?: boolean;
  /**
   * The rule decides nothing: what is read at these paths is `private` or `untrusted`, and marks the session. It has the
   * permission `fs.read`, the action `ask` and no conditions. People write `label private "customers/**"`.
   */
  readonly label?: Label;
  /** Approvals of this rule are never remembered. */
  readonly neverRemember?: boolean;
  /** Who must approve what an `ask` asks. Nothing else answers it: no mode, no remembered approval, no unsigned answer. */
  readonly approvers?: RequiredApprovers;
  /** The reason, for the user and the model. */
  readonly because?: string;
  /** Where it is written, e.g. `policy.yaml:7`. */
  readonly at?: string;
}
