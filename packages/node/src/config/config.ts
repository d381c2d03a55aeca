import type { PolicyMode } from "@toolkeep/core/policy";

/** Who wrote a configuration file; a later one wins, within what it may say. */
export type ConfigLayer = "user" | "project" | "local" | "managed";

export type SandboxName = "bubblewrap" | "sandbox-runtime" | "container" | "none";

/** What all files say together. Paths are absolute. What nobody says is left out. */
export interface Config {
  readonly mode?: PolicyMode;
  /** Policy files, those of stronger layers last. */
  readonly policy: readonly PolicyPath[];
  /** Settings by tool: for `createRegistry({ config })`. */
  readonly tools: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Lists of allowed tools. A tool must be on each of them. */
  readonly allowed: readonly (readonly string[])[];
  /** A tool that is on it may not be used. */
  readonly denied: readonly string[];
  readonly sandbox: { readonly prefer?: SandboxName; readonly required?: boolean };
  readonly network: { readonly privateHosts?: readonly string[]; readonly proxy?: "off" | "environment" };
  /** Names of environment values that commands and tools may see. */
  readonly environment: { readonly pass?: readonly string[] };
  readonly journal: { readonly folder?: string; readonly keepDays?: number };
  /** Folders beside the project that belong to the workspace. */
  readonly roots: readonly string[];
  /** Single files outside the workspace. */
  readonly files: readonly string[];
}

export interface PolicyPath {
  readonly path: string;
  readonly layer: ConfigLayer;
  /** Of a project's file: what is in it, as it was trusted or may count. The file itself must not be read again. */
  readonly text?: string;
  /**
   * Only what denies, asks and makes stricter counts of it, since it is not what was trusted: `added` where nothing
   * was there before, `changed` where something was, whose allows do not count any more either.
   */
  readonly narrows?: "added" | "changed";
}

/** Where a value stands. Lines and columns count from 1. */
export interface ConfigOrigin {
  readonly layer: ConfigLayer;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error makes the whole configuration void; a warning leaves out what it is about. */
export interface ConfigDiagnostic {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to write or do instead. */
  readonly instead?: string;
}
