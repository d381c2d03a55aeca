import { hash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, type Stats, writeFileSync } from "node:fs";
import { lstat, mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Label, SessionMarks } from "@toolkeep/core/internal";
import { codeOf, directories, ownershipError, readOwnedFile, writeOwnedFile } from "@toolkeep/node/internal";
import { isRunning } from "./client-process.ts";

/**
 * What a conversation has taken in or touched, for the gateway that its client is about to call: a gateway does not
 * learn from its client which conversation calls it, and the hook before the call does. Gateways that one client started
 * tell each other as well, because many clients have no such hook.
 */

/** The gateways of one project that serve the same. */
export interface CalledGateway {
  readonly project: string;
  /** The server that it wraps; missing for one with all servers. */
  readonly wrapped?: string | undefined;
  /** The process of the client that started it, see `clientProcess`. */
  readonly client?: string | undefined;
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
  /** `null`: as long as the client runs. */
  readonly until: number | null;
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

/** One that is started again must not remove what the one before it has left. */
const INSTANCE = randomUUID();

/**
 * Leaves the marks of a gateway for the others that the same client started in the same project. They last as long as
 * the client: it does not say when a conversation ends, and one gateway with all servers keeps them as long.
 * Synchronous, because the result of the call that marks must not reach the client before. @throws if they cannot be
 * written: then nothing may be called.
 */
export function leaveForOthers({ project, wrapped, client }: CalledGateway, marks: SessionMarks): void {
  if (client === undefined || marks.size === 0) return;
  const folder = marksFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertOwn(folder, lstatSync(folder));
  const stored: Stored = {
    version: 1,
    project,
    wrapped: wrapped ?? null,
    until: null,
    marks: [...marks].map(([label, by]) => [label, by ?? null]),
  };
  const file = `${fileOf(folder, project, `${wrapped ?? ""} ${INSTANCE}`)}.${client}`;
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(stored), { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** The call is over. */
export async function removeMarks(sessionId: string, callId: string): Promise<void> {
  await rm(fileOf(marksFolder(), sessionId, callId), { force: true });
}

/** What all conversations that may be calling this gateway now have taken in or touched: it is not told which one calls. */
export async function marksFor({ project, wrapped, client }: CalledGateway): Promise<SessionMarks> {
  const folder = marksFolder();
  const names = (await namesIn(folder)).filter((name) => [undefined, client].includes(clientIn(name)));
  const marks = new Map<Label, string | undefined>();
  if (names.length === 0) return marks;
  await assertOwnFolder(folder);
  const beneath = await realpath(folder);
  for (const name of names) {
    const found = await readOwnedFile(join(folder, name), { mostBytes: MOST_BYTES, owners: "us", beneath });
    const stored = storedIn(found?.text);
    if (stored?.project !== project) continue;
    // What another gateway of this client has left is for all of them.
    const isForUs = clientIn(name) !== undefined || stored.wrapped === (wrapped ?? null);
    if (!isForUs || (stored.until !== null && stored.until < Date.now())) continue;
    for (const [label, by] of stored.marks) if (!marks.has(label)) marks.set(label, by ?? undefined);
  }
  return marks;
}

const NAME = /^[0-9a-f]{40}(?:\.(\d+-\d+))?$/;

/** The client whose gateways it is for; `undefined` for what a hook has left for a call. */
function clientIn(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

function fileOf(folder: string, sessionId: string, callId: string): string {
  return join(folder, hash("sha256", JSON.stringify([sessionId, callId])).slice(0, 40));
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
  assertOwn(folder, await lstat(folder));
}

function assertOwn(folder: string, stats: Stats): void {
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
    const client = clientIn(name);
    if (client !== undefined && isRunning(client)) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats !== undefined && (client !== undefined || Date.now() - stats.mtimeMs > REPORTED_MS))
      await rm(path, { force: true, recursive: true });
  }
}
