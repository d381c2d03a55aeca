import { statSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { type Label, quotedWord } from "@toolkeep/core/internal";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";

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

/**
 * What is stored; it is read again only if it has changed.
 * @throws ToolFailure for what cannot be read or understood: a file that is labelled there must not be
 * treated as one that is not.
 */
export async function readLabels(file: string): Promise<StoredLabels> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return NOTHING_STORED;
  const version = `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
  const known = read.get(file);
  if (known?.version === version) return known.stored;
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined) return NOTHING_STORED;
  if (found.error !== undefined) throw unusable(file, found.error);
  const stored = storedIn(found.text);
  if (stored === undefined) throw unusable(file, "it is not what was written there");
  read.set(file, { version, stored });
  return stored;
}

function unusable(file: string, why: string): ToolFailure {
  return new ToolFailure(
    "effects_failed",
    `Which files have labels is not known, because ${file} cannot be used: ${why}. Until it can, nothing is read and no command is run. The user can restore it, or forget the labels of written files: mv ${shellWord(file)} ${shellWord(`${file}.broken`)}`,
  );
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text);
}

function storedIn(text: string): StoredLabels | undefined {
  try {
    const stored = JSON.parse(text) as StoredLabels | null;
    const isKnown =
      stored?.version === 1 &&
      Array.isArray(stored.files) &&
      Array.isArray(stored.awaited) &&
      stored.files.every((one: unknown) => isEntry(one) && typeof one["hash"] === "string") &&
      stored.awaited.every(isEntry);
    return isKnown ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const { path, project, labels, at } = value as Readonly<Record<string, unknown>>;
  const isNamed = typeof path === "string" && typeof project === "string" && typeof at === "number";
  return isNamed && Array.isArray(labels) && labels.every((label) => LABELS.has(label));
}

const LABELS: ReadonlySet<unknown> = new Set<Label>(["private", "untrusted"]);

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
