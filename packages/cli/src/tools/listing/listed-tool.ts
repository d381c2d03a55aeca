import type { DiscoveryRules } from "@toolkeep/core/formats";
import type { PolicyMode } from "@toolkeep/core/policy";

/** What a rule, a list or the lack of both means for every call of a tool. */
export interface ToolDecision {
  /** `depends`: on the arguments of the call. */
  readonly action: "allow" | "ask" | "deny" | "depends";
  /** The rule, or why there is none. */
  readonly by: string;
  /** Where the rule is written, e.g. `policy.yaml:7`. */
  readonly at?: string;
}

/** Why something is off, and what to do, as a sentence. */
export interface Off {
  readonly why: string;
  /** Set for an error that no session starts with: `shadowing`, `trust` or `requirements`. */
  readonly category?: string;
  readonly fix?: string;
}

/** Where a tool comes from. */
export interface ToolOrigin {
  readonly layer: "bundled" | "user" | "project";
  readonly source: "bundled" | "folder" | "mcp" | "config";
  /** The file of a tool in a folder, or the file that configures its server. */
  readonly file?: string;
  readonly server?: string;
  /** The server's own name of the tool. */
  readonly tool?: string;
}

/** A tool that a session in the project would have, or why it would not. */
export interface ListedTool {
  readonly name: string;
  readonly origin: ToolOrigin;
  /** What it may do, in words. */
  readonly effects: readonly string[];
  readonly decision: ToolDecision;
  readonly off?: Off;
  /** Tools of the same name that it hides. */
  readonly shadows: readonly ToolOrigin[];
  /** The tool of the same name that hides it. */
  readonly shadowedBy?: ToolOrigin;
}

/** A source whose tools are not known: a server that is not started, a file that is not loaded, an untrusted project. */
export interface ClosedSource {
  readonly name: string;
  readonly origin: ToolOrigin;
  /** `unknown`: it is on, but its tools are known only when it has been started. */
  readonly state: "off" | "unknown";
  readonly why: string;
  /** As for a tool that is off. */
  readonly category?: string;
  readonly fix?: string;
}

export interface ToolList {
  readonly project: string;
  readonly isTrusted: boolean;
  /** Of the policy: `observe` stops nothing, `yolo` never asks. */
  readonly mode: PolicyMode;
  /** Where files with tools are looked for, with the folders as they are here, and what a file must be. */
  readonly discoveryRules: Omit<DiscoveryRules, "folders"> & {
    readonly folders: readonly (Omit<DiscoveryRules["folders"][number], "path"> & {
      readonly folder: string;
    })[];
  };
  readonly tools: readonly ListedTool[];
  readonly sources: readonly ClosedSource[];
}
