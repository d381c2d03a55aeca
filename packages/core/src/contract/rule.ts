import type { EffectBasis } from "./effect.ts";

export type Action = "allow" | "ask" | "deny";

/** Who wrote a rule. `manifest` is also what an organisation supplies: its denies are final. */
export type RuleScope = "manifest" | "project" | "session";

type Fact =
  /** The sandbox around commands was proven to hold. */
  | "sandboxed"
  /** The effect overrides what protects its target, e.g. a forced push. */
  | "forced"
  /** The session has taken in content from outside. */
  | "untrusted"
  /** The session has touched private data. */
  | "private"
  | `known ${EffectBasis}`
  | `user ${string}`
  | `group ${string}`
  | `agent ${string}`
  | `environment ${string}`
  | `role ${string}`;

export type Condition = Fact | `not ${Fact}`;

/**
 * `(permission, pattern, action)`. Rules on the tool and rules on the capability are evaluated apart and
 * the stricter wins; within each the more specific counts. A rule on `*` counts where no other
 * speaks. Nothing of its own scope overrides a deny, and nothing overrides a deny of the manifest.
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
   * `{workspace}` a variable. Left out: everything.
   */
  readonly pattern?: string;
  readonly action: Action;
  /** `manifest` where it is left out. */
  readonly scope?: RuleScope;
  /** The rule speaks only where all of these hold. */
  readonly if?: readonly Condition[];
  /** Every deny overrides it, however specific it is itself. Set for what a person's answer adds. */
  readonly yieldsToDeny?: boolean;
  /** What it asks is asked every time. */
  readonly neverRemember?: boolean;
  /** For people who meet the rule. */
  readonly because?: string;
  /** Where it is written, e.g. `policy.yaml:7`. */
  readonly at?: string;
}
