import type { SandboxedCommand } from "@toolkeep/core/ports";

/** The messages to and from the spawner: JSON, one message per line. */
export type SpawnerRequest = StartRequest | KillRequest;

export interface StartRequest {
  readonly do: "start";
  readonly id: number;
  readonly argv: readonly [string, ...string[]];
  /** The whole of it, the marker included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly namespace?: NonNullable<SandboxedCommand["namespace"]>;
  readonly marker: string;
  readonly streams: KeptStreams | TalkingStreams;
}

/** Both streams of output go to one file that must not exist yet. */
export interface KeptStreams {
  readonly outputPath: string;
  /** A command that writes more is ended. */
  readonly outputLimit: number;
  /** A file to read from. Default: none. */
  readonly inputPath?: string;
}

/** A socket that is connected to three times: for the input, the output and the errors. */
export interface TalkingStreams {
  readonly socketPath: string;
}

interface KillRequest {
  readonly do: "kill";
  readonly id: number;
  readonly graceMs: number;
}

export type SpawnerReply =
  | { readonly is: "ready" }
  | { readonly is: "started"; readonly id: number; readonly pid: number; readonly startedAt?: number }
  /** The first process of the namespace that it created, so that the host can end it if the spawner dies. */
  | { readonly is: "namespace"; readonly id: number; readonly pid: number; readonly startedAt: number }
  /** It never ran. `code` is the system's, e.g. `ENOENT`. */
  | { readonly is: "failed"; readonly id: number; readonly code: string }
  | ({ readonly is: "exited"; readonly id: number } & ProcessEnd);

/** How a process ended. Sent when the whole tree is gone, or cannot be ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal?: string;
  /** It wrote more than it may, and was ended for it. */
  readonly isOverLimit?: true;
  /** How many of its processes could not be ended. */
  readonly left?: number;
}

const LONGEST_MESSAGE = 16 * 1_024 * 1_024;

/** Splits a stream of bytes into messages. Throws for one that has no end. */
export function messageReader<Message>(take: (message: Message) => void): (chunk: string) => void {
  let held = "";
  return (chunk) => {
    held += chunk;
    if (held.length > LONGEST_MESSAGE) throw new Error("a message of the spawner is too long");
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as Message);
  };
}

export function messageLine(message: SpawnerRequest | SpawnerReply): string {
  return `${JSON.stringify(message)}\n`;
}
