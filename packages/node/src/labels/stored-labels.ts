import { statSync } from "node:fs";
import type { Label } from "@toolkeep/core/internal";
import { readOwnedFile } from "../owned-files/read-owned-file.ts";

/** A file that a session with labels wrote, by its content. */
export interface WrittenFile {
  readonly hash: string;
  readonly size: number;
  /** Where it was written. */
  readonly path: string;
  readonly project: string;
  readonly labels: readonly Label[];
  readonly at: number;
}

/** A file that a session was allowed to write. What it holds is known when it was written. */
export interface AwaitedFile {
  readonly path: string;
  readonly project: string;
  readonly labels: readonly Label[];
  readonly at: number;
  /** The version of the file that was looked at last. */
  readonly seen?: string;
}

export interface StoredLabels {
  readonly version: 1;
  readonly files: readonly WrittenFile[];
  readonly awaited: readonly AwaitedFile[];
}

const NOTHING_STORED: StoredLabels = { version: 1, files: [], awaited: [] };

export const MOST_FILES = 2_000;
export const KEPT_MS = 30 * 24 * 60 * 60_000;
const MOST_AWAITED = 500;
/** A client may ask its user between the decision and the call. */
const AWAITED_MS = 60 * 60_000;
const MOST_BYTES = 8_000_000;

const read = new Map<string, { readonly version: string; readonly stored: StoredLabels }>();

/** What is stored; it is read again only if it has changed. What cannot be understood is nothing. */
export async function readLabels(file: string): Promise<StoredLabels> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return NOTHING_STORED;
  const version = `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
  const known = read.get(file);
  if (known?.version === version) return known.stored;
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  const stored = storedIn(found?.text);
  read.set(file, { version, stored });
  return stored;
}

function storedIn(text: string | undefined): StoredLabels {
  try {
    const stored = JSON.parse(text ?? "") as StoredLabels;
    const isKnown = stored.version === 1 && Array.isArray(stored.files) && Array.isArray(stored.awaited);
    return isKnown ? stored : NOTHING_STORED;
  } catch {
    return NOTHING_STORED;
  }
}

/** Each content and each path once. The oldest are forgotten first. */
export function bounded({ files, awaited }: StoredLabels, now: number): StoredLabels {
  const byContent = new Map<string, WrittenFile>();
  for (const one of files) {
    if (now - one.at > KEPT_MS) continue;
    const key = `${one.hash} ${one.size < SMALL_BYTES ? one.project : ""}`;
    const before = byContent.get(key);
    const labels = [...new Set([...(before?.labels ?? []), ...one.labels])];
    byContent.delete(key);
    byContent.set(key, { ...one, labels });
  }
  const byPath = new Map<string, AwaitedFile>();
  for (const one of awaited) {
    if (now - one.at > AWAITED_MS) continue;
    const labels = [...new Set([...(byPath.get(one.path)?.labels ?? []), ...one.labels])];
    byPath.delete(one.path);
    byPath.set(one.path, { ...one, labels });
  }
  return {
    version: 1,
    files: newest([...byContent.values()]),
    awaited: [...byPath.values()].slice(-MOST_AWAITED),
  };
}

/** Most sessions fetch something, and few look into private data: what these wrote is forgotten last. */
function newest(files: readonly WrittenFile[]): readonly WrittenFile[] {
  if (files.length <= MOST_FILES) return files;
  const isPrivate = ({ labels }: WrittenFile) => labels.includes("private");
  const ordered = [...files.filter((one) => !isPrivate(one)), ...files.filter(isPrivate)];
  return ordered.slice(-MOST_FILES);
}

/** Many files have the same few bytes: these count in their own project alone. */
export const SMALL_BYTES = 64;
