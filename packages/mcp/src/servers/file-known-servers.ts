import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "./is-record.ts";
import type { KnownServer, KnownServers } from "./known-servers.ts";
import { readPlainFile } from "./read-plain-file.ts";
import { withFileLock } from "./with-file-lock.ts";

const MOST_BYTES = 32_000_000;

/** By owner and name. */
type Kept = Map<string, Map<string, KnownServer>>;

/**
 * Keeps accepted servers in a file that only its owner can read. A file that is broken, or that others can write
 * to, counts as empty: whatever it said is asked again. Several processes may write to it.
 */
export function fileKnownServers(file: string): KnownServers {
  let writing: Promise<unknown> = Promise.resolve();
  const change = (edit: (kept: Kept) => void): Promise<void> => {
    const next = writing.then(async () => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await withFileLock(`${file}.lock`, async () => {
        const kept = await readKept(file);
        edit(kept);
        await writeKept(file, kept);
      });
    });
    writing = next.catch(() => undefined);
    return next;
  };
  return {
    get: async (owner, name) => (await readKept(file)).get(owner)?.get(name),
    set: (owner, name, known) =>
      change((kept) => void kept.set(owner, (kept.get(owner) ?? new Map()).set(name, known))),
    delete: (owner, name) => change((kept) => void kept.get(owner)?.delete(name)),
  };
}

async function readKept(file: string): Promise<Kept> {
  const found = await readPlainFile(file, { mostBytes: MOST_BYTES, isOurs: true });
  if (found?.text === undefined) return new Map();
  try {
    const parsed: unknown = JSON.parse(found.text);
    if (!isRecord(parsed) || parsed["version"] !== 1 || !isRecord(parsed["owners"])) return new Map();
    return new Map(
      Object.entries(parsed["owners"]).map(([owner, servers]) => [owner, new Map(serversIn(servers))]),
    );
  } catch {
    return new Map();
  }
}

function serversIn(servers: unknown): readonly [string, KnownServer][] {
  if (!isRecord(servers)) return [];
  return Object.entries(servers).filter((entry): entry is [string, KnownServer] => isKnown(entry[1]));
}

async function writeKept(file: string, kept: Kept): Promise<void> {
  const owners = Object.fromEntries(
    [...kept]
      .filter(([, servers]) => servers.size > 0)
      .map(([owner, servers]) => [owner, Object.fromEntries(servers)]),
  );
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: 1, owners }, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function isKnown(value: unknown): value is KnownServer {
  if (!isRecord(value) || typeof value["fingerprint"] !== "string" || typeof value["at"] !== "string")
    return false;
  const { tools } = value;
  return isRecord(tools) && Object.values(tools).every((pin) => typeof pin === "string");
}
