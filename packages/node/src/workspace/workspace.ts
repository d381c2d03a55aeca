import type { IsolationLevel, Sandbox, Session, SessionOptions } from "@toolkeep/core";
import type { Store } from "@toolkeep/sqlite";
import type { SqliteJournal } from "@toolkeep/sqlite/internal";
import type { FileBounds } from "../files/file-bounds.ts";
import type { NetworkSettings } from "../network/network-settings.ts";
import type { CommandLimits } from "../processes/command-parts.ts";

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
  /** Asked before each command: what commands may not change beside protected names, as `imports` of a folder source. */
  readonly guarded?: () => readonly string[];
  /** Told of what tools require that cannot be built into walls, and so is not granted to their commands. */
  readonly onNote?: (note: string) => void;
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
  readonly isolation: IsolationLevel;
  /**
   * Opens a session here. With a store, one of that id which was left before is gone on with; its parked and
   * cut-off turns can be resumed.
   * @throws ToolkeepError what `createSession` and `createSession` throw; the session can be opened again after that.
   */
  open(options?: WorkspaceSessionOptions): Promise<Session>;
  /** What one session is made of, for whoever puts it together: to be given to `createSession` beside tools and policy. */
  session(options?: Pick<WorkspaceSessionOptions, "sessionId" | "redactor">): WorkspaceSession;
  /** Ends every command that still runs. */
  close(): Promise<void>;
}

/** What a session is made of beside what the workspace gives it. */
export type WorkspaceSessionOptions = Omit<
  SessionOptions,
  Exclude<keyof WorkspaceSession, "sessionId" | "redactor">
>;

export type WorkspaceSession = Required<
  Pick<
    SessionOptions,
    "sessionId" | "variables" | "resolver" | "grantIo" | "isolation" | "sidecar" | "redactor"
  >
> &
  Pick<SessionOptions, "pending" | "projectApprovals"> & { readonly journal?: SqliteJournal };
