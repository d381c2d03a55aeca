import type { Diagnostic } from "@toolkeep/core";
import type { PolicyMode } from "@toolkeep/core/policy";

/** Who wrote a configuration file. A later layer overrides an earlier one, within what it may set. */
export type ConfigLayer = "user" | "project" | "local" | "managed";

type SandboxName = "bubblewrap" | "sandbox-runtime" | "container" | "none";

/** The settings of all configuration files together. Paths are absolute. Settings that no file has are absent. */
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
  /** Folders outside the project that belong to the workspace. */
  readonly roots: readonly string[];
  /** Single files outside the workspace. */
  readonly files: readonly string[];
}

export interface PolicyPath {
  readonly path: string;
  readonly layer: ConfigLayer;
  /** For a project's file: its text as it was trusted. The file itself must not be read again. */
  readonly text?: string;
  /**
   * Only the rules that deny, ask or make stricter apply, because the file is not what was trusted: `added` if there
   * was no file before, `changed` if there was one, whose allows do not apply any more either.
   */
  readonly narrows?: "added" | "changed";
}

/** A value and its position in its file. Lines and columns count from 1. */
export interface ConfigOrigin {
  readonly value: unknown;
  readonly layer: ConfigLayer;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error makes the whole configuration void; a warning leaves out what it is about. */
export interface ConfigDiagnostic extends Diagnostic {
  readonly code: "invalid_config" | "config_ignored";
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
