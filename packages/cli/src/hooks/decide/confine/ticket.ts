import { createHmac, hash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { lstat, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { unlessThrown } from "@toolkeep/core/internal";
import {
  codeOf,
  directories,
  type Granted,
  ownershipError,
  readOwnedFile,
  writeOwnedFile,
} from "@toolkeep/node/internal";
import type { ReadProjectOptions } from "../../../project/read-project.ts";
import { forgetDropped } from "./dropped-answers.ts";

/** What was decided about one command of a client, and may be run once. */
export interface Ticket {
  /** The command line, byte for byte. */
  readonly command: string;
  /** The canonical directory that it runs in. */
  readonly cwd: string;
  /** The canonical path of the project, and what reads it again. */
  readonly project: string;
  readonly source: ReadProjectOptions;
  /** A fingerprint of everything that decided. */
  readonly policy: string;
  /** The effects that were decided about. */
  readonly effects: readonly string[];
  /** The session of the conversation, and the call in it. */
  readonly sessionId: string;
  readonly callId: string;
  /** It runs contained: in a layer, or as a server that changes the project at once. */
  readonly contained?: "layer" | "through";
  /** What it may reach by a standing grant. */
  readonly granted?: Granted;
  /** Its user could grant the hosts that it reaches for. */
  readonly isGrantable?: true;
  /** The client's own id of the conversation, if its commands can know it. */
  readonly conversation?: string;
}

/** The variable with the client's id of a conversation, which it gives to hooks and to commands. */
export const CONVERSATION = "CLAUDE_CODE_SESSION_ID";

/** A ticket cannot be used, so nothing runs. */
export class TicketError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TicketError";
  }
}

/** From the decision to the start of the command. A client may ask its user in between. */
const VALID_MS = 5 * 60_000;
/** A client may report a call long after it was decided. */
const KEPT_MS = 24 * 60 * 60_000;
const MOST_BYTES = 4_000_000;
const TOKEN = /^[0-9a-f]{32}$/;
const again = "The client has to run the command again, so that it is decided again.";

interface Stored {
  readonly version: 1;
  readonly issuedAt: number;
  readonly boot: string;
  readonly ticket: Ticket;
}

/** Only this user can read and write there, and no sandbox shows it. */
function ticketFolder(): string {
  return join(directories().state, "tickets");
}

/** Stores a ticket, and gives the secret that takes it. The file holds neither the secret nor what could make one. */
export async function issueTicket(ticket: Ticket): Promise<string> {
  const folder = ticketFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await assertOwnFolder(folder);
  await removeOld(folder);
  const token = randomBytes(16).toString("hex");
  const stored: Stored = { version: 1, issuedAt: Date.now(), boot: bootId(), ticket };
  const body = JSON.stringify(stored);
  await writeOwnedFile(waitingFile(ticket), "");
  await writeOwnedFile(join(folder, nameOf(token)), JSON.stringify({ body, mac: macOf(token, body) }));
  return token;
}

/** There from the moment when a ticket is issued until it is taken. */
function waitingFile({ sessionId, callId }: Pick<Ticket, "sessionId" | "callId">): string {
  const name = hash("sha256", JSON.stringify([sessionId, callId]));
  return join(ticketFolder(), `waiting-${name.slice(0, 40)}`);
}

const TAKEN_STEP_MS = 50;

/** Whether a call's ticket is not taken within this time. Asking uses it up: a client reports a call once. */
export async function isUntaken(
  call: Pick<Ticket, "sessionId" | "callId">,
  waitMs: number,
): Promise<boolean> {
  const file = waitingFile(call);
  for (const until = Date.now() + waitMs; existsSync(file); await wait(TAKEN_STEP_MS))
    if (Date.now() >= until) {
      await rm(file, { force: true });
      return true;
    }
  return false;
}

/**
 * Takes a ticket. Whatever becomes of it afterwards, it cannot be taken again: of several processes one gets it.
 * @throws TicketError if there is none of that name, if it was changed, and if its time is over.
 */
export async function takeTicket(token: string): Promise<Ticket> {
  if (!TOKEN.test(token)) throw new TicketError("The ticket is not one that a hook of Toolkeep issued.");
  const folder = ticketFolder();
  await assertOwnFolder(folder);
  const taken = join(folder, `taken-${randomUUID()}`);
  try {
    await rename(join(folder, nameOf(token)), taken);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw new TicketError(`The ticket cannot be taken (${codeOf(error)}).`);
    throw new TicketError(`The ticket was used already, its time is over, or it never existed. ${again}`);
  }
  try {
    const found = await readOwnedFile(taken, {
      mostBytes: MOST_BYTES,
      owners: "us",
      beneath: await realpath(folder),
    });
    const stored = storedIn(found?.text, token);
    await rm(waitingFile(stored.ticket), { force: true });
    await forgetDropped(stored.ticket);
    return checked(stored);
  } finally {
    await rm(taken, { force: true, recursive: true });
  }
}

/** A link would let another program choose where tickets are. @throws TicketError */
async function assertOwnFolder(folder: string): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined) throw new TicketError(`There are no tickets. ${again}`);
  if (!stats.isDirectory() || ownershipError(stats, "us") !== undefined)
    throw new TicketError(`${folder} is a link, or others may write to it: its tickets are not used.`);
}

function storedIn(text: string | undefined, token: string): Stored {
  try {
    const { body, mac } = JSON.parse(text ?? "") as { readonly body: unknown; readonly mac: unknown };
    if (typeof body === "string" && typeof mac === "string" && isSame(mac, macOf(token, body)))
      return JSON.parse(body) as Stored;
  } catch {
    // The error below does not repeat the content.
  }
  throw new TicketError(`The ticket is damaged, or another program changed it. ${again}`);
}

function checked({ version, issuedAt, boot, ticket }: Stored): Ticket {
  const age = Date.now() - issuedAt;
  // No ticket outlives a restart, whatever the clock says then.
  if (version !== 1 || boot !== bootId() || !(age >= 0 && age <= VALID_MS))
    throw new TicketError(`The time of the ticket is over. ${again}`);
  return ticket;
}

/** A crashed process leaves what it has taken. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.ctimeMs > KEPT_MS)
      await rm(path, { force: true, recursive: true }).catch(() => undefined);
  }
}

function nameOf(token: string): string {
  return `ticket-${hash("sha256", `name ${token}`).slice(0, 40)}`;
}

function macOf(token: string, body: string): string {
  return createHmac("sha256", token).update(body).digest("hex");
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Another one after each restart. Empty where the system does not tell. */
export function bootId(): string {
  return unlessThrown(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()) ?? "";
}
