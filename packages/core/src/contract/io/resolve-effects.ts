import type { Reading } from "@toolkeep/catalog";
import type { Effect } from "../call/effect.ts";
import type { Label } from "../call/result.ts";

/** Port: what a tool asks to say what it will do. Answers are recorded, so a replayed call has the same effects. */
export interface EffectResolver {
  /** The absolute path with links resolved, also for a file that does not exist yet. */
  canonicalPath(path: string): Promise<string>;
  /** The simple commands in a command line, or why it is not plain. @throws for what cannot be parsed. */
  parseCommand(line: string): Promise<ParsedCommand>;
  /**
   * What a command line does on this machine beyond what its args say: the files that patterns match, what a tree
   * holds, the repository that git takes, the hooks that it runs. Missing where a sandbox holds commands. A tool
   * gives the line alone; the pipeline adds what the session protects.
   */
  commandsOnDisk?(line: LineOnDisk, session?: ProtectedPaths): Promise<readonly Effect[]>;
  /**
   * The hosts that the commands of a line need, where they are known: from their words, and from what configures them.
   * Missing where no sandbox decides about hosts. A command reaches no others.
   */
  hostsOf?(line: LineOnDisk): Promise<readonly string[]>;
  /**
   * The paths beneath a folder that are wanted, without following links. Without `isWanted` only whether it is a
   * folder is asked. A port that does not have this leaves it open what a folder holds, and then every rule against
   * a part of it applies.
   */
  findBeneath?(folder: string, isWanted?: (path: string) => boolean): Promise<FoundBeneath>;
  /**
   * Whether the sandbox shows to every command what this effect touches: programs and settings of the system, and the
   * session's own folder for temporary files. The target is canonical. Missing where commands run without a sandbox.
   */
  isShown?(effect: Effect): boolean;
  /** What is remembered of files that sessions wrote. Missing: nothing is. */
  readonly fileLabels?: FileLabels;
}

/** Remembers files of sessions with labels, so that their readers have these as well. Cheap where there are none. */
export interface FileLabels {
  /**
   * What is remembered of these files and trees (`…/**`), each with the file that it was found at. The paths are worked
   * out while they are read, so do not read them where nothing is remembered. It rejects if it does not know what is
   * remembered, and then the call is refused.
   */
  of(paths: Iterable<string>): Promise<readonly (readonly [Label, string])[]>;
  /** A call with these labels may write these files, from `since` on (milliseconds since the epoch). */
  remember(paths: readonly string[], labels: readonly Label[], since: number): Promise<void>;
}

/** A command line, and where it runs. */
export interface LineOnDisk {
  readonly line: string;
  readonly commands: readonly SimpleCommand[];
  /** Absolute. Left out: the workspace. */
  readonly folder?: string;
}

/** What of the disk a session has a say about. */
export interface ProtectedPaths {
  /** The folders the agent works in. */
  readonly roots: readonly string[];
  /** Whether a rule forbids or asks about reading this file. */
  isProtected(path: string): boolean;
}

/** `unknown`: it could not be looked through as a whole. */
export type FoundBeneath = readonly string[] | "no folder" | "unknown";

/** A command line as a shell parser sees it. */
export type ParsedCommand = (
  | { readonly plain: true; readonly commands: readonly SimpleCommand[] }
  /** What it runs cannot be told for sure. `commands` are those that can be seen in it. */
  | { readonly plain: false; readonly reason: string; readonly commands?: readonly SimpleCommand[] }
) & {
  /** What `~` stands for. Missing: unknown. */
  readonly home?: string;
};

/** Wrappers (`env`, `sudo`, `sh -c`) are followed by what they run, as a command of its own. */
export interface SimpleCommand {
  readonly argv: readonly string[];
  /** `note`: why the file is not known, which is any file then. */
  readonly redirects: readonly {
    readonly access: "read" | "write";
    readonly path: string;
    readonly note?: string;
  }[];
  /** The args that a shell expands before the program gets them, by their index. Missing: none. */
  readonly expands?: readonly number[];
  /** What it does, where more is known of it than the catalogue of this package says. Missing: what that says. */
  readonly reading?: Reading;
  /** The folder that it runs in, from where the line begins, if every way there succeeds. Missing: follow each `cd`. */
  readonly folder?: string;
}
