import type { Effect } from "./effect.ts";
import type { RequirementSet } from "./requirements.ts";

/** The typed hands a tool acts through, narrowed to what the tool requires and this call foresaw. */
export interface Io {
  readonly files: Files;
  readonly network: Network;
  readonly commands: Commands;
  readonly environment: Environment;
}

/** What an io is granted for: one call of one tool. */
export interface Grant {
  readonly toolName: string;
  readonly callId: string;
  readonly requires: RequirementSet;
  readonly effects: readonly Effect[];
  readonly abortSignal: AbortSignal;
}

/** Port: makes the hands of one call. Called when the tool first reaches for them. */
export type GrantIo = (grant: Grant) => Io;

export interface Files {
  /** Reads a whole file, or `length` bytes from `offset`. */
  read(path: string, range?: ByteRange): Promise<FileBytes>;
  /** Replaces the file atomically. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  list(query: ListQuery): AsyncIterable<FileEntry>;
  search(query: SearchQuery): AsyncIterable<SearchMatch>;
}

export interface ByteRange {
  readonly offset?: number;
  readonly length?: number;
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  /** Size of the whole file, however much was read. */
  readonly size: number;
}

export interface ListQuery {
  readonly root: string;
  readonly pattern: string;
  readonly limit?: number;
}

export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
}

export interface SearchQuery {
  readonly root: string;
  readonly pattern: string;
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  readonly limit?: number;
}

export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Network {
  fetch(request: NetworkRequest): Promise<NetworkResponse>;
}

export interface NetworkRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes?: number;
}

export interface NetworkResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array>;
}

export interface Commands {
  /** Runs a command to its end. A non-zero exit is an outcome, not a failure. */
  run(command: Command): Promise<CommandOutcome>;
  /** Starts a command that is talked to while it runs. */
  start(command: Command): Promise<RunningCommand>;
}

export interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Called with output as it comes, both streams in the order they were written. */
  readonly onOutput?: (chunk: Uint8Array) => void | Promise<void>;
}

export interface CommandOutcome {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
}

export interface RunningCommand {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<CommandOutcome>;
  /** Ends the whole process tree. */
  kill(): Promise<void>;
}

export interface Environment {
  /** The value of a declared name; `undefined` when it is not set. */
  read(name: string): string | undefined;
}
