import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Label, SessionMarks } from "@toolkeep/core/internal";
import { codeOf, directories, ownershipError, readOwnedFile, writeOwnedFile } from "@toolkeep/node/internal";

/**
 * What a conversation has taken in or touched, for the gateway that its client is about to call: a gateway does not
 * learn from its client which conversation calls it, and the hook before the call does.
 */

/** The gateways of one project that serve the same. */
export interface CalledGateway {
  readonly project: string;
  /** The server that it wraps; missing for one with all servers. */
  readonly wrapped?: string | undefined;
}

export interface LeftMarks extends CalledGateway {
  /** The session of the conversation, and the client's id of the call, by which the marks are removed after it. */
  readonly sessionId: string;
  readonly callId: string | undefined;
  readonly marks: SessionMarks;
}

const MOST_BYTES = 1_000_000;
/** A client that reports no outcome would leave its marks to other conversations. */
const UNREPORTED_MS = 10 * 60_000;
/** The client may ask its user between the hook and the call. */
const REPORTED_MS = 60 * 60_000;

interface Stored {
  readonly version: 1;
  readonly project: string;
  readonly wrapped: string | null;
  readonly until: number;
  readonly marks: readonly (readonly [Label, string | null])[];
}

/** Only this user can read and write there. */
function marksFolder(): string {
  return join(directories().state, "marks");
}

/** Leaves the marks of a conversation before a call. @throws if they cannot be written: then it must not be called. */
export async function leaveMarks({ project, wrapped, sessionId, callId, marks }: LeftMarks): Promise<void> {
  if (marks.size === 0) return;
  const folder = marksFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await assertOwnFolder(folder);
  await removeOld(folder);
  const stored: Stored = {
    version: 1,
    project,
    wrapped: wrapped ?? null,
    until: Date.now() + (callId === undefined ? UNREPORTED_MS : REPORTED_MS),
    marks: [...marks].map(([label, by]) => [label, by ?? null]),
  };
  await writeOwnedFile(fileOf(folder, sessionId, callId ?? randomUUID()), JSON.stringify(stored));
}

/** The call is over. */
export async function removeMarks(sessionId: string, callId: string): Promise<void> {
  await rm(fileOf(marksFolder(), sessionId, callId), { force: true });
}

/**
 * What conversations have taken in or touched that may be calling this gateway now. Of two that call it at the same
 * time, each gets what both have.
 */
export async function marksFor({ project, wrapped }: CalledGateway): Promise<SessionMarks> {
  const folder = marksFolder();
  const names = await namesIn(folder);
  const marks = new Map<Label, string | undefined>();
  if (names.length === 0) return marks;
  await assertOwnFolder(folder);
  const beneath = await realpath(folder);
  for (const name of names) {
    const found = await readOwnedFile(join(folder, name), { mostBytes: MOST_BYTES, owners: "us", beneath });
    const stored = storedIn(found?.text);
    if (stored?.project !== project || stored.wrapped !== (wrapped ?? null) || stored.until < Date.now())
      continue;
    for (const [label, by] of stored.marks) if (!marks.has(label)) marks.set(label, by ?? undefined);
  }
  return marks;
}

const NAME = /^[0-9a-f]{40}$/;

function fileOf(folder: string, sessionId: string, callId: string): string {
  const name = createHash("sha256")
    .update(JSON.stringify([sessionId, callId]))
    .digest("hex");
  return join(folder, name.slice(0, 40));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => NAME.test(name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** With a link, another program could choose which marks are found. */
async function assertOwnFolder(folder: string): Promise<void> {
  const stats = await lstat(folder);
  if (!stats.isDirectory() || ownershipError(stats, "us") !== undefined)
    throw new Error(`${folder} is a link, or others may write to it.`);
}

function storedIn(text: string | undefined): Stored | undefined {
  try {
    const stored = JSON.parse(text ?? "") as Stored;
    return stored.version === 1 && Array.isArray(stored.marks) ? stored : undefined;
  } catch {
    // It was removed meanwhile, or another program wrote it.
    return undefined;
  }
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > REPORTED_MS)
      await rm(path, { force: true, recursive: true });
  }
}
