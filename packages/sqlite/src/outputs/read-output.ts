import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Redactor, ToolFailure } from "@toolkeep/core";
import { redactStream } from "@toolkeep/core/internal";
import type { ByteRange } from "@toolkeep/core/ports";

import { exactDecoder, exactEncoder } from "./exact-text.ts";
import { NEW_FILE, READ_FILE } from "./session-folder.ts";
import { unreadableOutput } from "./spooled-output.ts";

export interface OutputFile {
  readonly folder: string;
  /** Exactly as the sidecar returned it. */
  readonly path: string;
  readonly range: ByteRange | undefined;
  readonly redactor: Redactor;
  readonly beingWritten: ReadonlySet<string>;
  /** Redactions that are running, so that concurrent reads share one. */
  readonly beingRedacted: Map<string, Promise<void>>;
}

const MOST_BYTES = 64 * 1_024 * 1_024;
const OUTPUT_NAME = /^([0-9a-f]{32})\.out$/;

/**
 * Reads from a file of the session's folder, redacted. `undefined` for a path that this session's sidecar did not
 * return.
 * @throws ToolFailure `too_large` for more than 64 MB at once.
 */
export async function readOutput(output: OutputFile): Promise<Uint8Array | undefined> {
  const { folder, path, range = {}, beingWritten } = output;
  const name = OUTPUT_NAME.exec(path.slice(folder.length + 1))?.[1];
  if (name === undefined || path !== join(folder, `${name}.out`) || beingWritten.has(name)) return undefined;
  const file = (await openPlain(path)) ?? (await openRedacted(name, output));
  if (file === undefined) return undefined;
  try {
    return await readRange(file, range);
  } finally {
    await file.close();
  }
}

async function openRedacted(name: string, output: OutputFile): Promise<FileHandle | undefined> {
  const { folder, path, redactor, beingRedacted } = output;
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

/** Opens a regular file that has exactly one name. */
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
    throw new ToolFailure(
      "too_large",
      `The range has ${length} bytes; one read returns at most ${MOST_BYTES}.`,
      {
        hint: "Read it in parts, with `offset` and `length`.",
      },
    );
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

const CHUNK = 256 * 1_024;

interface RedactedFile {
  readonly rawPath: string;
  readonly path: string;
  /** Renamed to `path` when it is complete, so that a partial copy is never read. */
  readonly draftPath: string;
}

/** Replaces a raw file by its redacted copy. Every byte that is not part of a secret stays the same. */
async function redactFile({ rawPath, path, draftPath }: RedactedFile, redactor: Redactor): Promise<void> {
  await rm(draftPath, { force: true });
  const raw = await open(rawPath, READ_FILE);
  try {
    const draft = await open(draftPath, NEW_FILE, 0o600);
    try {
      await copyRedacted(raw, draft, redactor);
    } finally {
      await draft.close();
    }
  } finally {
    await raw.close();
  }
  await rename(draftPath, path);
  await rm(rawPath);
}

async function copyRedacted(raw: FileHandle, draft: FileHandle, redactor: Redactor): Promise<void> {
  const decoder = exactDecoder();
  const encoder = exactEncoder();
  const redacting = redactStream(redactor);
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const { bytesRead } = await raw.read(buffer, 0, CHUNK, null);
    if (bytesRead === 0) break;
    await draft.appendFile(encoder.push(redacting.push(decoder.push(buffer.subarray(0, bytesRead)))));
  }
  await draft.appendFile(encoder.push(redacting.push(decoder.end()) + redacting.end()));
  await draft.appendFile(encoder.end());
}
