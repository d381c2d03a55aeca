import type { EffectBasis } from "./effect.ts";

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
  /** The session has read untrusted content. */
  | "untrusted"
  /** The session has read private data. */
  | "private"
  | `known ${EffectBasis}`
  | `user ${string}`
  | `group ${string}`
  | `agent ${string}`
  | `environment ${string}`
  | `role ${string}`;

/** When a rule applies. */
export type Condition = Fact | `not ${Fact}`;

/**
 * A rule in its object form, for programs that make rules. People write lines: `"ask net.fetch *.weather.example"`.
 *
 * Rules on the tool and rules on the capability are evaluated separately, and the stricter result applies. Within
 * each, the more specific rule applies. A rule on `*` applies if no other rule matches. A deny is overridden by no rule
 * of its own scope, and a deny of the scope `manifest` by no rule at all.
 */
export interface Rule {
  /**
   * A tool (`bash`), an action of a tool (`git.push`), an MCP address (`mcp:github:get_*`), a
   * capability (`fs.write`, `fs.*`), or `*`.
   */
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
  /** Every deny overrides it, however specific it is. Set for rules that an answer to an approval adds. */
  readonly yieldsToDeny?: boolean;
  /** Approvals of this rule are never remembered. */
  readonly neverRemember?: boolean;
  /** The reason, for the user and the model. */
  readonly because?: string;
  /** Where it is written, e.g. `policy.yaml:7`. */
  readonly at?: string;
}
