import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption, isRecord, unlessThrown } from "@toolkeep/core/internal";
import { readOwnedFile, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { AcceptedServer, AcceptedServers } from "./accepted-servers.ts";
import { LONGEST_PIN_KEY } from "./pin-key.ts";

const MOST_BYTES = 32_000_000;
/** Per server, so that no server uses up the shared space. */
const MOST_PINS = 20_000;
const MOST_CHARACTERS = 6_000_000;

/** By owner and name. */
type Kept = Map<string, Map<string, AcceptedServer>>;

/**
 * Keeps accepted servers in a file that only its owner can read. Several processes can write to it. A file that is
 * invalid, too large, or writable by others is neither trusted nor overwritten: every method rejects with a
 * `ToolkeepError` until the user has fixed it.
 */
export function fileAcceptedServers(file: string): AcceptedServers {
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
  const put = (kept: Kept, [owner, name]: Key, accepted: AcceptedServer) =>
    void kept.set(owner, (kept.get(owner) ?? new Map()).set(name, bounded(name, accepted)));
  return {
    get: async (owner, name) => (await readKept(file)).get(owner)?.get(name),
    set: (owner, name, accepted) => change((kept) => put(kept, [owner, name], accepted)),
    update: async (owner, name, edit) => {
      let next: AcceptedServer | undefined;
      await change((kept) => {
        const now = kept.get(owner)?.get(name);
        next = edit(now) ?? now;
        if (next !== undefined) put(kept, [owner, name], next);
      });
      return next;
    },
    delete: (owner, name) => change((kept) => void kept.get(owner)?.delete(name)),
  };
}

/** The names of the servers that a file records for an owner. Rejects if the file cannot be read. */
export async function acceptedNames(file: string, owner: string): Promise<readonly string[]> {
  return [...((await readKept(file)).get(owner)?.keys() ?? [])];
}

/** Owner and name. */
type Key = readonly [owner: string, name: string];

function bounded(name: string, accepted: AcceptedServer): AcceptedServer {
  const pins = Object.entries(accepted.tools);
  const size = pins.reduce((sum, [key, pin]) => sum + key.length + pin.length, 0);
  const areShort = pins.every(([key]) => key.length <= LONGEST_PIN_KEY);
  if (pins.length <= MOST_PINS && size <= MOST_CHARACTERS && areShort) return accepted;
  throw invalidOption(
    `The record of the server ${JSON.stringify(name)} is too large. The limit is ${MOST_PINS} tools and ${MOST_CHARACTERS} characters, with keys of up to ${LONGEST_PIN_KEY} characters.`,
  );
}

async function readKept(file: string): Promise<Kept> {
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined) return new Map();
  if (found.error !== undefined) throw unreadable(file, found.error);
  const parsed: unknown = unlessThrown(() => JSON.parse(found.text));
  if (!isRecord(parsed) || parsed["version"] !== 1 || !isRecord(parsed["owners"]))
    throw unreadable(file, "its contents are invalid");
  return new Map(
    Object.entries(parsed["owners"]).map(([owner, servers]) => {
      if (!isRecord(servers) || !Object.values(servers).every(isAccepted))
        throw unreadable(file, "its contents are invalid");
      return [owner, new Map(Object.entries(servers) as [string, AcceptedServer][])];
    }),
  );
}

function unreadable(file: string, why: string): ToolkeepError {
  return invalidOption(
    `The record of accepted servers cannot be read from ${file}: ${why}. Fix the file, or move it away to review every server and tool again.`,
  );
}

async function writeKept(file: string, kept: Kept): Promise<void> {
  const owners = Object.fromEntries(
    [...kept]
      .filter(([, servers]) => servers.size > 0)
      .map(([owner, servers]) => [owner, Object.fromEntries(servers)]),
  );
  const text = `${JSON.stringify({ version: 1, owners }, undefined, 2)}\n`;
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw invalidOption(
      `${file} would exceed ${MOST_BYTES} bytes. Forget servers that are no longer used (toolkeep servers forget).`,
    );
  }
  await writeOwnedFile(file, text);
}

function isAccepted(value: unknown): value is AcceptedServer {
  if (!isRecord(value) || typeof value["fingerprint"] !== "string" || typeof value["at"] !== "string")
    return false;
  const { tools } = value;
  return isRecord(tools) && Object.values(tools).every((pin) => typeof pin === "string");
}
