import type { CodeRunner } from "./code.ts";

/** The I/O of a tool: files, network, commands and environment, limited to what it requires and to the effects of this call. */
export interface Io {
  readonly files: Files;
  readonly network: Network;
  readonly commands: Commands;
  readonly environment: Environment;
  /** Missing where nothing can contain a program. */
  readonly code?: CodeRunner;
}

/** Reads and writes files for a tool. */
export interface Files {
  /** Reads a whole file, or `length` bytes from `offset`. Fails with `too_large` rather than read more than the bound. */
  read(path: string, range?: ByteRange): Promise<FileBytes>;
  /** Replaces the file atomically; folders that are missing are made. */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<WrittenFile>;
  remove(path: string): Promise<void>;
  /**
   * Makes all of these changes or none: also where the process ends in the middle, which is undone when the next one
   * starts. Returns what each file is then; a file that was removed has the version `absent`.
   */
  writeAll(changes: readonly FileChange[]): Promise<readonly WrittenFile[]>;
  list(query: ListQuery): AsyncIterable<FileEntry>;
  search(query: SearchQuery): AsyncIterable<SearchMatch>;
}

/** A part of a file, in bytes. */
export interface ByteRange {
  readonly offset?: number;
  readonly length?: number;
}

/** Contents of a file, or of a part of it. */
export interface FileBytes {
  readonly bytes: Uint8Array;
  /** Size of the whole file, however much was read. */
  readonly size: number;
  /** Another one whenever the file was changed or replaced. */
  readonly version: string;
}

/** Conditions of a write. */
export interface WriteOptions {
  /** Fails with `conflict` unless the file still has this version; `absent`: unless there is none. */
  readonly expects?: string;
}

/** One of several changes that belong together: a file that is written, or removed where it has no `content`. */
export interface FileChange extends WriteOptions {
  readonly path: string;
  readonly content?: string | Uint8Array;
}

/** A file that was written. */
export interface WrittenFile {
  readonly version: string;
}

/** Which entries to list. */
export interface ListQuery {
  readonly root: string;
  /** A glob, relative to the root. */
  readonly pattern: string;
  readonly limit?: number;
  /** Also names that begin with a dot, except for git's own folder. */
  readonly hidden?: boolean;
  /** Also what .gitignore leaves out, and names that begin with a dot. */
  readonly all?: boolean;
  /** Most recently changed first; otherwise as they are found. */
  readonly newestFirst?: boolean;
}

/** An entry of a directory. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
}

/** What to search for in files. */
export interface SearchQuery {
  /** A folder, or one file. */
  readonly root: string;
  /** A regular expression in the syntax of ripgrep, which takes linear time. */
  readonly pattern: string;
  /** The pattern is a text and no expression. */
  readonly literal?: boolean;
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  /** A match may go over several lines. */
  readonly multiline?: boolean;
  /** Lines to show around each match. */
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
  /** Most lines that match in one file: with 1, only which files have any is asked. */
  readonly mostPerFile?: number;
  /** Also names that begin with a dot, except for git's own folder. */
  readonly hidden?: boolean;
  /** Also what .gitignore leaves out, and names that begin with a dot. */
  readonly all?: boolean;
}

/** One match of a search in files. */
export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** A line around a match. */
  readonly context?: true;
}

/** Sends requests for a tool. */
export interface Network {
  fetch(request: NetworkRequest): Promise<NetworkResponse>;
}

/** A request of a tool. */
export interface NetworkRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Counted after decompression. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** `manual`: an answer that sends the request on is the answer. Default: redirects are followed, and each host is checked. */
  readonly redirect?: "follow" | "manual";
}

/** The response to a request of a tool. */
export interface NetworkResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array>;
}

/** Runs commands for a tool. */
export interface Commands {
  /** Runs a command to its end. A non-zero exit is an outcome, not a failure. */
  run(command: Command): Promise<CommandOutcome>;
  /** Starts a command that is talked to while it runs. */
  start(command: Command): Promise<RunningCommand>;
}

/** The arguments of one command, or a line for a shell. */
export type Command = CommandOptions &
  ({ readonly argv: readonly [string, ...string[]] } | { readonly line: string });

/** Options of a command. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Called with output as it comes, both streams in the order they were written. */
  readonly onOutput?: (chunk: Uint8Array) => void | Promise<void>;
  /** Keeps the output: the outcome has so many bytes of its beginning, and where the whole is if there is more. */
  readonly keepBytes?: number;
  /** Ends the command after so long, if the call's own time is not up before; the outcome says so. */
  readonly timeoutMs?: number;
  /** Runs without a sandbox. The call must have the effect `sandbox.leave`, which was approved. */
  readonly outside?: true;
  /**
   * What a command line of git is for. It then starts no program that the repository names: no hook, filter, helper or
   * monitor. A file that a filter would change is taken as it is for `reading`, and refused for `writing`. Another
   * repository is reached for `sending` and `making`, and a new one stays after `making`.
   */
  readonly git?: GitPurpose;
}

/** What a command line of git is for. */
export type GitPurpose = "reading" | "writing" | "sending" | "making";

/** How a command ended. */
export interface CommandOutcome {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Why it was ended before its time, e.g. for writing more than it may. */
  readonly stopped?: string;
  /** What the policy masked from it, and what became of it if it ran contained. */
  readonly note?: string;
  /** It ran contained: what it started may still run. */
  readonly isContained?: true;
  /** If it was to be kept. */
  readonly output?: KeptOutput;
}

/** What a command wrote, both streams in the order they were written. */
export interface KeptOutput {
  readonly head: Uint8Array;
  /** Of everything it wrote. */
  readonly size: number;
  /** Where `ctx.results` finds the whole; missing when the head is all there is. */
  readonly path?: string;
}

/** A command that was started. */
export interface RunningCommand {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<CommandOutcome>;
  /** Ends the whole process tree. */
  kill(): Promise<void>;
}

/** Reads environment variables for a tool. */
export interface Environment {
  /** The value of a declared name; `undefined` when it is not set. */
  read(name: string): string | undefined;
}
