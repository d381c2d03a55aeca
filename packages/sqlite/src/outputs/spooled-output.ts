import { lstat, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Redactor, ToolFailure } from "@toolkeep/core";
import type { DiskQuota } from "./disk-quota.ts";
import { decodeExactly, encodeExactly } from "./exact-text.ts";
import { READ_FILE, randomName } from "./session-folder.ts";

/** The output file of one command. Its content is not redacted yet. */
export interface SpooledOutput {
  /** Does not exist yet: the caller that starts the command creates it. Must never be shown to a model. */
  readonly rawPath: string;
  readonly limitBytes: number;
  size(): Promise<number>;
  /** The beginning of the output, unredacted. Ends before a secret that would be cut in two. */
  head(bytes: number): Promise<Uint8Array>;
  /** Keeps the output of a command that has ended. Returns the path that `Sidecar.read` takes. */
  keep(): Promise<string>;
  /** Removes the output of a command that has ended or never ran. Does nothing after `keep`. */
  discard(): Promise<void>;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly limitBytes: number;
  readonly quota: DiskQuota;
  readonly redactor: Redactor;
  /** Names of outputs that cannot be read yet. */
  readonly beingWritten: Set<string>;
}

export function spoolIn(options: SpoolOptions): SpooledOutput {
  const { folder, quota, redactor, beingWritten } = options;
  const limitBytes = quota.reserve(options.limitBytes);
  const name = randomName();
  const rawPath = join(folder, `${name}.raw`);
  let isSettled = false;
  beingWritten.add(name);

  const size = () => lstat(rawPath).then((stat) => stat.size, zeroIfMissing);

  /** Releases what was reserved and not written. */
  function settle(kept: number): void {
    if (isSettled) return;
    isSettled = true;
    quota.release(limitBytes - Math.min(kept, limitBytes));
    beingWritten.delete(name);
  }

  return {
    rawPath,
    limitBytes,
    size,
    head: (bytes) => headOf(rawPath, bytes, redactor),
    async keep() {
      settle(await size());
      return join(folder, `${name}.out`);
    },
    async discard() {
      if (isSettled) return;
      await unlink(rawPath).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
      settle(0);
    },
  };
}

/** Longer than any secret the redactor looks for. */
const LOOK_AHEAD = 16_384;

async function headOf(path: string, bytes: number, redactor: Redactor): Promise<Uint8Array> {
  const file = await open(path, READ_FILE).catch((error: unknown) => {
    throw unreadableOutput(error);
  });
  try {
    const length = Math.min((await file.stat()).size, bytes + LOOK_AHEAD);
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, 0);
    const seen = buffer.subarray(0, bytesRead);
    return bytesRead <= bytes ? seen : seen.subarray(0, beforeSecret(seen, bytes, redactor));
  } finally {
    await file.close();
  }
}

/** The redactor cannot recognize half a secret. */
function beforeSecret(seen: Uint8Array, end: number, redactor: Redactor): number {
  const text = decodeExactly(seen);
  for (const span of redactor.find(text)) {
    const start = encodeExactly(text.slice(0, span.start)).length;
    if (start >= end) break;
    if (start + encodeExactly(text.slice(span.start, span.end)).length > end) return start;
  }
  return end;
}

function zeroIfMissing(error: unknown): number {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
  throw unreadableOutput(error);
}

/** A command can make its own output unreadable. The error of the system would name the raw file. */
export function unreadableOutput(error: unknown): ToolFailure {
  const { code } = error as NodeJS.ErrnoException;
  return new ToolFailure("tool_failed", `The output of the command cannot be read (${code ?? "unknown"}).`, {
    hint: "The command may have changed the permissions of its output. Do not change `/dev/stdout`.",
  });
}
