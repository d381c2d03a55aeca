import type { Action, Diagnostic, Rule } from "@toolkeep/core";
import { invalidOption, visible } from "@toolkeep/core/internal";
import { compilePolicy, type Policy, type PolicyMode, type WatchdogSettings } from "@toolkeep/core/policy";

/** A position in a file. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A diagnostic of a policy file, which always has a position. */
export interface FileDiagnostic extends Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The content of a policy file: the result of `parsePolicy`. */
export interface PolicyFile {
  readonly file: string;
  /** The value of `~`. */
  readonly home?: string;
  /** What `createSession({ policy })` takes. Missing if there are diagnostics: an invalid file decides nothing. */
  readonly definition?: Policy["definition"];
  readonly watchdogSettings: WatchdogSettings;
  readonly tests: readonly PolicyTest[];
  readonly diagnostics: readonly FileDiagnostic[];
  /** The mode that the file sets. Without it, `definition` has the default. */
  readonly mode?: PolicyMode;
  /** The rules of the file itself, without those of files that it extends. */
  readonly ownRules: readonly OwnRule[];
  /** Entries of the allow-list, which applies only in the mode `allowlist`. */
  readonly allowList: readonly string[];
}

export interface OwnRule extends Position {
  readonly rule: Rule;
  /** The line as it is written. */
  readonly text: string;
}

/** One entry of `tests`: a call, what is known about it, and the expected decision. */
export interface PolicyTest extends Position {
  readonly call: TestCall;
  readonly facts: TestFacts;
  readonly expect: Action;
  /** Who must approve an ask, e.g. `2 of group payments`. Missing: any approver. */
  readonly by?: readonly string[];
}

/** A call in a test. It is evaluated and never executed. */
export type TestCall =
  | { readonly kind: "tool"; readonly tool: string; readonly argument: string }
  | {
      readonly kind: "mcp";
      readonly server: string;
      readonly tool: string;
      readonly effects: readonly TestEffect[];
    }
  | { readonly kind: "effects"; readonly tool: string; readonly effects: readonly TestEffect[] };

/** `capability target`. A relative path is relative to the workspace. */
export interface TestEffect {
  readonly capability: string;
  readonly target: string;
}

/** What is known about the session and the effects of a test. */
export interface TestFacts {
  readonly sandboxed?: boolean;
  readonly trusted?: boolean;
  readonly forced?: boolean;
  readonly "versions-only"?: boolean;
  readonly "own-code"?: boolean;
  readonly untrusted?: boolean;
  readonly private?: boolean;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly tenant?: string;
  readonly agent?: string;
  readonly environment?: string;
  readonly role?: string;
  /** The arguments of the call. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The time of the call, in milliseconds since the epoch. */
  readonly now?: number;
  /** How many calls like this one were made before it, and how long before. */
  readonly earlier?: readonly EarlierTestCalls[];
}

interface EarlierTestCalls {
  readonly agoMs: number;
  readonly count: number;
}

/** A diagnostic as one line that editors and terminals can jump to: `policy.yaml:3:5: message hint`. */
export function formatDiagnostic({ file, line, column, message, hint }: Diagnostic): string {
  const position = [file, line, column].filter((part) => part !== undefined).join(":");
  const text = hint === undefined ? message : `${message} ${hint}`;
  return visible(position === "" ? text : `${position}: ${text}`);
}

/**
 * The definition of a parsed policy file, for `createSession({ policy })`.
 * @throws ToolkeepError `invalid_option` with every diagnostic of an invalid file.
 *
 * @example
 * const policy = policyDefinition(parsePolicy(text, { file: "policy.yaml" }));
 */
export function policyDefinition({ definition, diagnostics, file }: PolicyFile): Policy["definition"] {
  if (definition !== undefined) return definition;
  const found = diagnostics.map(formatDiagnostic).join("\n");
  throw invalidOption(`Invalid policy file ${file}:\n${found}`);
}

/** What relative paths and `~` are resolved with. */
export interface TestDirectories {
  readonly workspace: string;
  readonly home: string;
}

/** Stand for the workspace and the home directory where the file was parsed without them. */
export function directoriesOf({ definition, home = "/home/user" }: PolicyFile): TestDirectories {
  return { workspace: definition?.variables?.workspace?.[0] ?? "/ws", home };
}

/** Compiles a file's policy, or another in its place, to evaluate calls offline. @throws ToolkeepError `invalid_option` */
export function compileFile(file: PolicyFile, merged?: Policy["definition"]): Policy {
  const definition = merged ?? policyDefinition(file);
  const workspace = definition.variables?.workspace ?? [directoriesOf(file).workspace];
  return compilePolicy({ ...definition, variables: { ...definition.variables, workspace } });
}
