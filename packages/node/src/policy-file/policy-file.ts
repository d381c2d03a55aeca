import type { Action, Rule } from "@toolkeep/core";
import type { Policy, WatchdogSettings } from "@toolkeep/core/policy";
import type { Place, PolicyDiagnostic } from "./diagnostic.ts";

/** What a policy file says. */
export interface PolicyFile {
  readonly file: string;
  /** What `~` stands for. */
  readonly home?: string;
  /** Missing when there are problems: a file that is not understood decides nothing. */
  readonly definition?: Policy["definition"];
  readonly watchdogSettings: WatchdogSettings;
  readonly tests: readonly PolicyTest[];
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** The rules that stand in the file itself, each with the place of its line. */
  readonly ownRules: readonly OwnRule[];
  /** Entries of the allow-list, which counts in the mode `allowlist` alone. */
  readonly allowList: readonly string[];
}

export interface OwnRule extends Place {
  readonly rule: Rule;
  /** As it was written. */
  readonly text: string;
}

/** One line of `tests`: a call, what is known about it, and what must become of it. */
export interface PolicyTest extends Place {
  readonly call: TestCall;
  readonly facts: TestFacts;
  readonly expect: Action;
}

/** A call that nobody makes. */
export type TestCall =
  | { readonly kind: "tool"; readonly tool: string; readonly argument: string }
  | {
      readonly kind: "mcp";
      readonly server: string;
      readonly tool: string;
      readonly effects: readonly TestEffect[];
    }
  | { readonly kind: "effects"; readonly tool: string; readonly effects: readonly TestEffect[] };

/** `capability target`, where a relative path lies in the workspace. */
export interface TestEffect {
  readonly capability: string;
  readonly target: string;
}

/** What is known about the session and the effects. */
export interface TestFacts {
  readonly sandboxed?: boolean;
  readonly forced?: boolean;
  readonly untrusted?: boolean;
  readonly private?: boolean;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly agent?: string;
  readonly environment?: string;
  readonly role?: string;
}
