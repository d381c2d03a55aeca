import type { AddedEntry } from "@toolkeep/catalog";
import type { Diagnostic } from "@toolkeep/core";
import type { Approvers, PolicyMode } from "@toolkeep/core/policy";

/** Who wrote a configuration file. A later layer overrides an earlier one, within what it may set. */
export type ConfigLayer = "user" | "project" | "local" | "managed";

/** The settings of all configuration files together. Paths are absolute. Settings that no file has are absent. */
export interface Config {
  readonly mode?: PolicyMode;
  /** The modes that users may choose. Like all settings up to `clients`, only the administrator sets them. */
  readonly modes?: readonly PolicyMode[];
  /** What this machine is, for the condition `environment`. */
  readonly environment?: string;
  /** The only MCP servers that may be used: by name, the command lines or URLs that the name stands for. */
  readonly servers?: Readonly<Record<string, readonly string[]>>;
  readonly clients?: readonly string[];
  /** Whether commands that no rule knows must run contained, or may not. */
  readonly contain?: "require" | "forbid";
  /** Who can sign approvals. Only the administrator sets them. */
  readonly approvers?: Approvers;
  /** Whose tokens say who people are. */
  readonly identity: {
    readonly issuer?: string;
    readonly audience?: string;
    /** Where the keys of the issuer are. Default: what the issuer's own configuration says. */
    readonly jwksUri?: string;
    /** Default: `sub`. */
    readonly userClaim?: string;
    /** Default: `groups`. */
    readonly groupsClaim?: string;
    /** Default: there are no tenants. */
    readonly tenantClaim?: string;
    /** What a token must permit. */
    readonly scopes?: readonly string[];
    /** Where the token of the program's own user is. */
    readonly tokenFile?: string;
  };
  /** Policy files, those of stronger layers last. */
  readonly policy: readonly PolicyPath[];
  /** Settings by tool: for `createRegistry({ config })`. */
  readonly tools: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Lists of allowed tools. A tool must be on each of them. */
  readonly allowed: readonly (readonly string[])[];
  /** A tool that is on it may not be used. */
  readonly denied: readonly string[];
  readonly sandbox: { readonly required?: boolean };
  readonly network: { readonly privateHosts?: readonly string[]; readonly proxy?: "off" | "environment" };
  readonly journal: { readonly folder?: string; readonly keepDays?: number };
  /** What becomes of the audit log. Only the administrator sets it. */
  readonly audit: {
    readonly sink?: string;
    readonly format?: "jsonl" | "otlp" | "ocsf";
    readonly checkpoint?: string;
    readonly hold?: readonly string[];
  };
  /** Shapes of secrets of all files: for `createRedactor`. */
  readonly redaction: { readonly shapes: readonly { readonly name: string; readonly pattern: string }[] };
  /** Entries of programs, from the folders `catalog`. */
  readonly catalog: readonly CatalogFile[];
  /** Folders outside the project that belong to the workspace. */
  readonly roots: readonly string[];
  /** Single files outside the workspace. */
  readonly files: readonly string[];
}

/** An entry of a program that a user, an administrator or a project wrote. */
export interface CatalogFile extends AddedEntry {
  readonly file: string;
  readonly layer: ConfigLayer;
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
