import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { type Redactor, redactStream } from "@toolkeep/core";
import { exactDecoder, exactEncoder } from "./exact-text.ts";
import { NEW_FILE, READ_FILE } from "./session-folder.ts";

const CHUNK = 256 * 1_024;

/** What is redacted, where the result goes, and where it is made. */
export interface RedactedFile {
  readonly rawPath: string;
  readonly path: string;
  /** Of ours alone; is renamed when all is through, so that a half one is never seen. */
  readonly draftPath: string;
}

/** Replaces a raw file by its redacted copy. Every byte that is no secret stays as it is. */
export async function redactFile(
  { rawPath, path, draftPath }: RedactedFile,
  redactor: Redactor,
): Promise<void> {
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
