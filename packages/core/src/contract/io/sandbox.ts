import type { Effect } from "../call/effect.ts";
import type { CommandOutcome } from "./io.ts";

/** The isolation that the sandbox was proven to give when it was probed. */
export type IsolationLevel = "none" | "files" | "files-and-network";

/** What one command may reach: what its tool requires, within the ceilings, for the effects of this call. */
export interface SandboxProfile {
  /** Files and folders it may read, in addition to the programs of the system. Absolute and free of links. */
  readonly read: readonly string[];
  /** Folders and files it may change. Absolute and free of links. */
  readonly write: readonly string[];
  /** Places beneath `write` that it may not change, whether or not they exist yet. */
  readonly guarded: readonly string[];
  /** Places beneath `read` or `write` that it may not even see. */
  readonly hidden: readonly string[];
  /** Places beneath `write` that it may change, and may not remove or move. */
  readonly kept?: readonly string[];
  /** A repository that it makes stays, if it names no program. */
  readonly makesRepository?: boolean;
  /** What is there after the command that it may not have made, given what the sandbox itself found to be new. */
  createdDespiteDeny?(found: readonly string[]): Promise<readonly string[]>;
  /** A folder of the session that it sees as `/tmp` and may change. Left out: one in memory that ends with the command. */
  readonly temporary?: string;
  /** Folders with programs that it may read, in addition to those of the system. Absolute and free of links. */
  readonly programs?: readonly string[];
  /** What build tools and package managers keep, for a sandbox that mounts it. */
  readonly caches?: ProjectCaches;
  /** Whether a policy rule denies reading a path that the sandbox hides by its name unless the file is known anyway. */
  isDeniedToRead?(path: string): boolean;
  /** Hosts it may reach: none, those named (patterns among them), or any in any way. */
  readonly hosts: readonly string[] | "any";
  /** The way to the hosts that are named, for a sandbox that has none of its own. The caller closes it. */
  readonly proxy?: HostProxy;
  /** The whole of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it changes is looked at before it comes to the project, by a sandbox that can. */
  readonly contained?: Containment;
}

/** How a command is contained, and who decides about what it did. */
export interface Containment {
  /** Where places, layers and what can be undone are kept. */
  readonly folder: string;
  /** The folder that it works in: what it changes elsewhere is thrown away. Absolute and free of links. */
  readonly project: string;
  /** Whether what it writes goes to the project at once, as for a server: then only the names that are protected are looked at. */
  readonly through?: boolean;
  /** The place of its project ends with the last of these processes. Default: by command, or when nothing uses it. */
  readonly keptFor?: readonly number[];
  /** Its `/tmp` is that of the profile, which its session has for other commands as well. Default: that of the place. */
  readonly temporary?: "session";
  /** As it was asked for, for a user who looks at its changes later. */
  readonly line: string;
  /** The call that runs it, and its session: to erase them erases what is kept of the command. */
  readonly callId: string;
  readonly sessionId?: string;
  /** What it may reach of the network. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** Ports of the user's loopback that it may reach. */
  readonly ports: readonly number[];
  /** Why the policy objects to each of these effects, which it had; `undefined` where it does not. */
  evaluate(effects: readonly Effect[]): Promise<readonly (string | undefined)[]>;
  onOutcome(outcome: ContainedOutcome): void;
}

/** What became of a contained command. */
export interface ContainedOutcome {
  /** For `toolkeep undo` and `toolkeep keep`; missing if there is nothing of it. */
  readonly number?: number;
  readonly kept: readonly string[];
  readonly held: readonly { readonly path: string; readonly why: string }[];
  /** What it reached for outside and did not get, in words. */
  readonly refused: readonly string[];
  /** What it seemed to change outside of the project, and did not. */
  readonly pretended: readonly string[];
  /** Processes of it go on, and what they write to the project is discarded from now on. */
  readonly isGoingOn?: true;
  /** All that was refused, held or pretended, as effects. */
  readonly seen: readonly Effect[];
}

/** The caches that commands of one project see. What they write there, no other project and no program outside sees. */
export interface ProjectCaches {
  /** Where the sandbox keeps what the commands write. */
  readonly folder: string;
  readonly parts: readonly SharedCache[];
}

/** A cache of the user, or the place of one, that commands may write to as if it were theirs. */
export interface SharedCache {
  readonly name: string;
  /** Where commands see it. */
  readonly path: string;
  /** The folder of the user that is seen beneath what commands write. Absolute and free of links. */
  readonly below?: string;
  /** Whether it is of more use read-only than empty. */
  readonly isPackages: boolean;
  /** Names in `below` that commands may not see. */
  readonly hidden: readonly string[];
}

/** A proxy that lets one command reach its hosts. */
export interface HostProxy {
  /** Starts to listen, for a command of this user. */
  listen(user?: SandboxedCommand["user"]): Promise<ListeningProxy>;
}

/** Where a proxy listens. */
export interface ListeningProxy {
  /** To be mounted in the sandbox of the command, and in no other. The socket `s` in it takes HTTP. */
  readonly folder: string;
  /** What makes programs use it, if the folder is at `/run/toolkeep-proxy` and the socket at port 61128 of loopback. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a command is started in the sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Of the process that sets up the sandbox. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The user the process runs as, where that is not the current user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * Set where the first process gives the command a process namespace: it must find more files open. On 3 it
   * writes what `bwrap --info-fd` writes, with the process id of the namespace's process 1; from 4 it reads `filter`,
   * a program for `bwrap --seccomp` in Base64, from 5 `settings`, the text of a file in the command's home, each if
   * there is one, and from 6 on the files of `copied`, which are opened by their paths. The runner kills that process 1
   * and waits for its end before `done`.
   */
  readonly namespace?: {
    /** Other commands share it: it reports nothing, and outlives the command. */
    readonly isShared?: true;
    readonly filter?: string;
    readonly settings?: string;
    readonly copied?: readonly string[];
  };
  /** To be asked once the command is over: what the sandbox hides or keeps that explains what the command said. */
  hiddenNote?(): string | undefined;
  /** To be called once none of its processes is left, however it ended. A contained command may leave some. */
  done?(end?: Pick<CommandOutcome, "exitCode" | "output">): Promise<void>;
}

/** Port: the operating system's sandbox around a command. */
export interface Sandbox {
  readonly name: string;
  readonly isolation: IsolationLevel;
  /** Whether commands see the profile's `temporary` as `/tmp`. Otherwise they get it under its own path. */
  readonly mountsTemporary?: true;
  /** Whether commands see the profile's `caches`. */
  readonly mountsCaches?: true;
  /** Whether it can contain commands; another one refuses them. */
  readonly contains?: true;
  /** @throws ToolFailure `unavailable` for a profile it cannot set up: a command never runs with less isolation. */
  wrap(argv: readonly [string, ...string[]], profile: SandboxProfile): Promise<SandboxedCommand>;
  /** Ends what it holds while no command runs. The next command starts it again. */
  close?(): Promise<void>;
}
