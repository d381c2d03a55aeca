import type { Redactor, Sandbox, SandboxGrade, SessionOptions } from "@toolkeep/core";
import type { FileBounds } from "../files/file-bounds.ts";
import type { NetworkSettings } from "../network/network-settings.ts";
import type { CommandLimits } from "../processes/command-parts.ts";
import type { Store } from "../stores/store.ts";

/** A place where agents work: its folders, its walls and its stores. */
export interface WorkspaceOptions {
  /** The folders that `{workspace}` stands for. Relative paths begin in the first. */
  readonly roots: readonly [string, ...string[]];
  /** Single files or folders that `{ad-hoc}` stands for. */
  readonly adHoc?: readonly string[];
  /** The walls around commands. Left out: the best that this machine has and that hold when they are tried. */
  readonly sandbox?: Sandbox;
  readonly limits?: WorkspaceLimits;
  readonly network?: NetworkSettings;
  readonly environment?: EnvironmentOptions;
  /** Where sessions are kept so that they outlive this process. Left out: in memory. */
  readonly store?: Store;
  /** Where large outputs are kept. Left out: in the user's cache. */
  readonly sidecars?: string;
}

export interface WorkspaceLimits {
  readonly files?: Partial<FileBounds>;
  readonly commands?: CommandLimits;
}

export interface EnvironmentOptions {
  /** Where declared names are looked up; the environment of this process where it is left out. */
  readonly values?: Readonly<Record<string, string | undefined>>;
  /** Names that every command gets, beside those that commands cannot do without. */
  readonly pass?: readonly string[];
}

export interface Workspace {
  /** What was proven of the walls. */
  readonly sandboxGrade: SandboxGrade;
  /** What one session is made of, to be given to `createSession` beside tools and policy. */
  session(options?: { readonly sessionId?: string; readonly redactor?: Redactor }): WorkspaceSession;
  /** Ends every command that still runs. */
  close(): Promise<void>;
}

export type WorkspaceSession = Required<
  Pick<
    SessionOptions,
    "sessionId" | "variables" | "foresee" | "grantIo" | "sandboxGrade" | "sidecar" | "redactor"
  >
> &
  Pick<SessionOptions, "journal" | "pending" | "projectApprovals">;
