import { createHash } from "node:crypto";
import { constants, statSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin, type Label, unlessThrown } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { withFileLock } from "../../owned-files/with-file-lock.ts";
import { writeOwnedFile } from "../../owned-files/write-owned-file.ts";
import {
  type AwaitedFile,
  bounded,
  readLabels,
  SMALL_BYTES,
  type StoredLabels,
  type WrittenFile,
} from "./stored-labels.ts";

type FileLabels = NonNullable<EffectResolver["fileLabels"]>;

/** The labels of files are kept with the sessions that gave them. */
export function labelsFileIn(storeFolder: string): string {
  return join(storeFolder, "file-labels.json");
}

export interface FileLabelsOptions {
  /** Where the labels are kept. Only this user can read and write it. */
  readonly file: string;
  readonly project: string;
}

/**
 * Remembers which files sessions with labels wrote, by their content: a copy, a move and a checkout elsewhere have the
 * same content, and a file that others have changed since does not. At most 2,000 files for 30 days.
 */
export function fileLabels({ file, project }: FileLabelsOptions): FileLabels {
  return {
    async of(paths) {
      const stored = await readLabels(file);
      if (stored.files.length + stored.awaited.length === 0) return [];
      const { files } = await settled(file, stored);
      return files.length === 0 ? [] : labelsAt(paths, { files, project });
    },
    async remember(paths, labels, since) {
      // Names of files can have characters of patterns. What is a pattern after all is never found under its name.
      const named = paths.filter((path) => !path.endsWith("/**"));
      if (named.length === 0) return;
      await change(file, (stored) => ({
        ...stored,
        awaited: [...stored.awaited, ...named.map((path) => ({ path, project, labels, at: since }))],
      }));
    },
  };
}

/** Changes what is stored, after what was written meanwhile was looked at. */
async function change(file: string, by: (stored: StoredLabels) => StoredLabels): Promise<StoredLabels> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return withFileLock(`${file}.lock`, async () => {
    const stored = await readLabels(file);
    const next = bounded(await lookedAt(by(stored)), Date.now());
    await writeOwnedFile(file, JSON.stringify(next));
    return next;
  });
}

async function settled(file: string, stored: StoredLabels): Promise<StoredLabels> {
  return stored.awaited.some((one) => newVersion(one) !== undefined) ? change(file, (now) => now) : stored;
}

/** File systems may be some milliseconds behind the clock. */
const SLACK_MS = 50;

/** The version of an awaited file, if it was written since it was awaited and not looked at yet. */
function newVersion({ path, at, seen }: AwaitedFile): string | undefined {
  const stats = statOf(path);
  // A move and a copy with its times keep the time of the content; the other one cannot be set.
  if (stats === undefined || Math.max(stats.mtimeMs, stats.ctimeMs) < at - SLACK_MS) return undefined;
  const version = `${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}`;
  return version === seen ? undefined : version;
}

async function lookedAt({ files, awaited, ...stored }: StoredLabels): Promise<StoredLabels> {
  const found: WrittenFile[] = [];
  const looked: AwaitedFile[] = [];
  for (const one of awaited) {
    const seen = newVersion(one);
    looked.push(seen === undefined ? one : { ...one, seen });
    const content = seen === undefined ? undefined : await contentOf(one.path);
    if (content === undefined || content.size === 0) continue;
    const { path, project, labels } = one;
    found.push({ ...content, path, project, labels, at: Date.now() });
  }
  return { ...stored, files: [...files, ...found], awaited: looked };
}

interface Known {
  readonly files: readonly WrittenFile[];
  readonly project: string;
}

const MOST_LOOKS = 5_000;

async function labelsAt(
  paths: Iterable<string>,
  known: Known,
): Promise<readonly (readonly [Label, string])[]> {
  const candidates = new Set<string>();
  for (const path of paths) {
    const wild = path.search(WILD_SEGMENT);
    if (!path.endsWith("/**")) candidates.add(path);
    // Within a tree only what is where it was written can be known without reading all of it.
    if (wild !== -1)
      for (const { path: written } of known.files)
        if (isWithin(written, path.slice(0, wild) || "/")) candidates.add(written);
  }
  const found = new Map<Label, string>();
  for (const path of [...candidates].slice(0, MOST_LOOKS)) {
    for (const label of await labelsOfFile(path, known)) if (!found.has(label)) found.set(label, path);
    if (found.size === 2) break;
  }
  return [...found];
}

const WILD_SEGMENT = /\/[^/]*[*?{]/;

async function labelsOfFile(path: string, { files, project }: Known): Promise<readonly Label[]> {
  const size = statOf(path)?.size;
  const alike = files.filter(
    (one) => one.size === size && (one.size >= SMALL_BYTES || one.project === project),
  );
  if (alike.length === 0) return [];
  const content = await contentOf(path);
  return alike.filter(({ hash }) => hash === content?.hash).flatMap(({ labels }) => labels);
}

function statOf(path: string) {
  const stats = unlessThrown(() => statSync(path, { throwIfNoEntry: false }));
  return stats?.isFile() === true ? stats : undefined;
}

/** A larger file is known by its beginning and its size. */
const MOST_BYTES = 16_000_000;

async function contentOf(
  path: string,
): Promise<{ readonly hash: string; readonly size: number } | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return undefined;
      const hash = createHash("sha256");
      const end = Math.min(stats.size, MOST_BYTES) - 1;
      if (end >= 0)
        for await (const part of handle.createReadStream({ end, autoClose: false })) hash.update(part);
      return { hash: hash.digest("hex"), size: stats.size };
    } finally {
      await handle.close();
    }
  } catch {
    // What cannot be read here has no content that is known.
    return undefined;
  }
}
