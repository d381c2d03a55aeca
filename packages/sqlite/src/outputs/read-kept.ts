import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type ByteRange, type Redactor, ToolFailure } from "@toolkeep/core";
import { redactFile } from "./redact-file.ts";
import { READ_FILE } from "./session-folder.ts";
import { unreadableOutput } from "./unreadable-output.ts";

export interface KeptFile {
  readonly folder: string;
  /** As it was handed out, letter for letter. */
  readonly path: string;
  readonly range: ByteRange | undefined;
  readonly redactor: Redactor;
  readonly beingWritten: ReadonlySet<string>;
  /** What is under way, so that nobody does it twice. */
  readonly beingRedacted: Map<string, Promise<void>>;
}

const MOST_BYTES = 64 * 1_024 * 1_024;
const KEPT = /^([0-9a-f]{32})\.out$/;

/**
 * Reads from a file of the session's folder, redacted. `undefined` for any path that the session did not
 * hand out.
 * @throws ToolFailure `too_large` for more than 64 MB at once.
 */
export async function readKept(kept: KeptFile): Promise<Uint8Array | undefined> {
  const { folder, path, range = {}, beingWritten } = kept;
  const name = KEPT.exec(path.slice(folder.length + 1))?.[1];
  if (name === undefined || path !== join(folder, `${name}.out`) || beingWritten.has(name)) return undefined;
  const file = (await openPlain(path)) ?? (await openRedacted(name, kept));
  if (file === undefined) return undefined;
  try {
    return await readRange(file, range);
  } finally {
    await file.close();
  }
}

async function openRedacted(name: string, kept: KeptFile): Promise<FileHandle | undefined> {
  const { folder, path, redactor, beingRedacted } = kept;
  const rawPath = join(folder, `${name}.raw`);
  const raw = await openPlain(rawPath);
  if (raw === undefined) return openPlain(path);
  await raw.close();
  const draftPath = join(folder, `${name}.draft`);
  const redacting = beingRedacted.get(name) ?? redactFile({ rawPath, path, draftPath }, redactor);
  beingRedacted.set(name, redacting);
  await redacting.finally(() => beingRedacted.delete(name));
  return openPlain(path);
}

/** A file and nothing else, that has this one name and no other. */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, READ_FILE).catch(unlessMissing);
  if (file === undefined) return undefined;
  const stat = await file.stat();
  if (stat.isFile() && stat.nlink === 1) return file;
  await file.close();
  return undefined;
}

function unlessMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ELOOP" && code !== "EMLINK" && code !== "ENXIO")
    throw unreadableOutput(error);
}

async function readRange(file: FileHandle, range: ByteRange): Promise<Uint8Array> {
  const { size } = await file.stat();
  const from = Math.min(wholeNumber(range.offset ?? 0), size);
  const length = Math.min(wholeNumber(range.length ?? size), size - from);
  if (length > MOST_BYTES)
    throw new ToolFailure("too_large", `That are ${length} bytes; at most ${MOST_BYTES} are read at once.`, {
      hint: "Read it in parts, with `offset` and `length`.",
    });
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

function wholeNumber(given: number): number {
  return given > 0 ? Math.trunc(given) : 0;
}
