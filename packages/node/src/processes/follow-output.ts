import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { READ_FILE, unreadableOutput } from "@toolkeep/sqlite/internal";

export interface FollowedOutput {
  readonly path: string;
  readonly onOutput: (chunk: Uint8Array) => void | Promise<void>;
  /** When nothing more is written. */
  readonly ended: Promise<unknown>;
  /** Nobody wants the rest, nor waits for whoever has not yet taken what he was given. */
  readonly signal: AbortSignal;
}

const POLL_MS = 50;
const CHUNK = 64 * 1_024;

/** Hands on what is written to a file, in order, as fast as it is taken; resolves after the last of it. */
export async function followOutput({ path, onOutput, ended, signal }: FollowedOutput): Promise<void> {
  let isEnded = false;
  const end = ended.then(markEnded, markEnded);
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stopped.resolve(), { once: true });
  const file = await opened(path, end);
  try {
    for (let position = 0; !signal.aborted; ) {
      const wasEnded = isEnded;
      const buffer = new Uint8Array(CHUNK);
      const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
      position += bytesRead;
      if (bytesRead > 0) await Promise.race([onOutput(buffer.subarray(0, bytesRead)), stopped.promise]);
      else if (wasEnded) return;
      else {
        await Promise.race([pause(POLL_MS), end, stopped.promise]);
        position = Math.min(position, await sizeOf(file));
      }
    }
  } finally {
    await file.close();
  }

  function markEnded(): void {
    isEnded = true;
  }
}

/** A command may take away the rights of its own output; they are given back when it is over. */
async function opened(path: string, end: Promise<void>): Promise<FileHandle> {
  try {
    return await open(path, READ_FILE);
  } catch {
    await end;
  }
  return open(path, READ_FILE).catch((error: unknown) => {
    throw unreadableOutput(error);
  });
}

/** A command may cut its own output short, by way of /dev/stdout. */
async function sizeOf(file: FileHandle): Promise<number> {
  return (await file.stat()).size;
}
