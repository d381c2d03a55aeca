import type { AddedEntry } from "@toolkeep/catalog";
import type { Session, SessionOptions, SessionStore, Tool } from "@toolkeep/core";
import type { SessionPorts } from "@toolkeep/core/internal";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import type { FileBounds } from "../files/file-bounds.ts";
import type { NetworkSettings } from "../network/network-settings.ts";
import type { CommandLimits } from "../processes/command-parts.ts";
import type { ProjectPast } from "../sandbox/contain/commit/past-commands.ts";
import type { ContainOptions } from "../sandbox/contain/containment-of.ts";

/** Options of {@link openWorkspace}. */
export interface WorkspaceOptions {
  /** The folders that `{workspace}` stands for in rules and requirements. Relative paths start in the first. */
  readonly roots: readonly [string, ...string[]];
  /** Single files or folders outside the roots, which `{ad-hoc}` stands for. Absolute paths. */
  readonly adHoc?: readonly string[];
  /** Variables of your own for rules and requirements, by name, such as `{ region: ["eu-west"] }` for `{region}`. */
  readonly variables?: Readonly<Record<string, readonly string[]>>;
  /**
   * The sandbox that commands run in. Default: `await openSandbox()`, the strongest that works on this machine. There
   * is no silent fallback: if no sandbox works here, opening the workspace fails.
   */
  readonly sandbox?: Sandbox;
  readonly limits?: WorkspaceLimits;
  /** Which hosts and addresses tools may reach, and through which proxy. Default: public addresses, without a proxy. */
  readonly network?: NetworkSettings;
  readonly environment?: EnvironmentOptions;
  /** Entries of programs in addition to those of the catalogue: what their commands do. */
  readonly catalog?: readonly AddedEntry[];
  /** Keeps sessions so that they outlive this process. Default: in memory. */
  readonly store?: SessionStore;
  /**
   * Called before each command: paths that commands must not change in addition to protected names. Pass the `imports`
   * of tool folders, because that code runs in this process.
   */
  readonly guarded?: () => readonly string[];
  /** Called with each requirement of a tool that the sandbox cannot grant to its commands. */
  readonly onNote?: (note: string) => void;
  /**
   * Commands that no rule knows run contained instead of asking: what they change is decided about afterwards, and what
   * they reach for is refused and named. The same command again asks, with what it did. What our tools write can be
   * undone as well. Linux alone; where a command cannot be contained, it asks. Default: `false`.
   */
  readonly contain?: boolean | ContainOptions;
  /** The folder for large outputs. Default: a folder in the user's cache. */
  readonly sidecars?: string;
}

/** Limits for the files and commands of a workspace. */
interface WorkspaceLimits {
  readonly files?: Partial<FileBounds>;
  readonly commands?: CommandLimits;
}

/** Which environment variables tools and commands see. */
export interface EnvironmentOptions {
  /** Where declared names are looked up. Default: the environment of this process. */
  readonly values?: Readonly<Record<string, string | undefined>>;
  /** Names that every command gets, in addition to those that commands cannot work without. */
  readonly pass?: readonly string[];
}

/** Folders to work in, with a sandbox and a store. Opened with {@link openWorkspace}. */
export interface Workspace extends AsyncDisposable {
  /** What was proven of the sandbox. */
  readonly isolation: IsolationLevel;
  /**
   * Creates a session that works here. With a store, a session of that id that exists is continued: its waiting and
   * interrupted turns can be resumed.
   * @throws ToolkeepError like `createSession` of core. A session whose creation failed can be created again.
   */
  createSession<const Tools extends readonly Tool[] = readonly Tool[]>(
    options?: WorkspaceSessionOptions<Tools>,
  ): Promise<Session<Tools>>;
  /** The options that a session of this workspace gets, for programs that call `createSession` of core themselves. */
  sessionOptions(options?: Pick<WorkspaceSessionOptions, "id" | "redactor">): WorkspaceSession;
  /**
   * What contained commands and our tools changed in the first root: to look at, to keep what is held, and to undo.
   * Tools keep what they replace in workspaces with `contain` alone.
   */
  changes(): Promise<ProjectPast>;
  /** Ends every command that still runs. */
  close(): Promise<void>;
}

/** Options of a session that do not come from its workspace: tools, policy, approver and so on. */
export type WorkspaceSessionOptions<Tools extends readonly Tool[] = readonly Tool[]> = Omit<
  SessionOptions<Tools>,
  Exclude<keyof WorkspaceSession, "id" | "redactor">
>;

/** Options of a session that come from its workspace. */
export type WorkspaceSession = Required<
  Pick<
    SessionOptions & SessionPorts,
    "id" | "variables" | "resolver" | "grantIo" | "isolation" | "sidecar" | "redactor"
  >
> &
  Pick<SessionOptions, "store" | "project" | "mayContain">;
