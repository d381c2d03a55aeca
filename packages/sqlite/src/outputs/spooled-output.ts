import { lstat, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "@toolkeep/core";
import type { DiskQuota } from "./disk-quota.ts";
import { decodeExactly, encodeExactly } from "./exact-text.ts";
import { READ_FILE, randomName } from "./session-folder.ts";
import { unreadableOutput } from "./unreadable-output.ts";

/** Where one command writes to, as it is: nothing in it is redacted yet. */
export interface SpooledOutput {
  /** Not there yet: whoever starts the command makes it. Never to be shown to a model. */
  readonly rawPath: string;
  readonly limitBytes: number;
  size(): Promise<number>;
  /** Its beginning, as it is; ends before a secret that would be cut in two. */
  head(bytes: number): Promise<Uint8Array>;
  /** The command is over and its output stays. Gives the path that the sidecar reads it by. */
  keep(): Promise<string>;
  /** The command is over, or never ran, and its output is not needed. Of no effect on what is kept. */
  discard(): Promise<void>;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly limitBytes: number;
  readonly quota: DiskQuota;
  readonly redactor: Redactor;
  /** Names of what is not to be read yet. */
  readonly beingWritten: Set<string>;
}

export function spoolIn(options: SpoolOptions): SpooledOutput {
  const { folder, quota, redactor, beingWritten } = options;
  const limitBytes = quota.promise(options.limitBytes);
  const name = randomName();
  const rawPath = join(folder, `${name}.raw`);
  let isOver = false;
  beingWritten.add(name);

  const size = () => lstat(rawPath).then((stat) => stat.size, nothingThere);

  /** What was promised and not written is free again. */
  function settle(kept: number): void {
    if (isOver) return;
    isOver = true;
    quota.give(limitBytes - Math.min(kept, limitBytes));
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
      if (isOver) return;
      await rm(rawPath, { force: true });
      settle(0);
    },
  };
}

/** Longer than any secret that is looked for. */
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

/** Half a secret has no shape that would be known as one. */
function beforeSecret(seen: Uint8Array, end: number, redactor: Redactor): number {
  const text = decodeExactly(seen);
  for (const span of redactor.find(text)) {
    const start = encodeExactly(text.slice(0, span.start)).length;
    if (start >= end) break;
    if (start + encodeExactly(text.slice(span.start, span.end)).length > end) return start;
  }
  return end;
}

function nothingThere(error: unknown): number {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
  throw unreadableOutput(error);
}
