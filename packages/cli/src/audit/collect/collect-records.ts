import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText, nameProgram, visible } from "@toolkeep/core/internal";
import { whyNotRoots, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import { STORE_RECORD } from "@toolkeep/sqlite/internal";
import { auditSettings } from "../../project/store/audit-settings.ts";
import { CommandError, EXIT, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { VERSION } from "../../terminal/version.ts";
import {
  type Checkpoint,
  checkpointHash,
  checkpointLine,
  checkpointOf,
  keptIn,
} from "../evidence/checkpoint.ts";
import { checkpointTarget } from "../evidence/checkpoint-targets.ts";
import { type Machine, thisMachine } from "../evidence/machine.ts";
import { signedCheckpoint } from "../evidence/make-checkpoint.ts";
import { formatOf, type Send, type ShipReport, senderTo, shipFrom } from "../ship/ship-events.ts";
import { type Account, accountsOf, storeFolders } from "./accounts.ts";
import { type Differences, differencesSince } from "./compare-heads.ts";
import { type Records, UserReader } from "./read-as-user.ts";

export interface CollectOptions {
  readonly user?: readonly string[] | undefined;
  readonly to?: string | undefined;
  readonly sign?: string | undefined;
  readonly sink?: string | undefined;
  readonly format?: string | undefined;
  readonly state?: string | undefined;
  readonly longest?: string | undefined;
}

/** What one account gave. */
interface Collected extends Differences {
  readonly user: string;
  readonly store: string;
  readonly sessions: number;
  readonly sent: number;
  /** Why it could not be read. */
  readonly failed?: string;
}

const STATE = "/var/lib/toolkeep-audit";

/** Reads the records of users with their rights, and keeps proof of them with root's. */
export async function collectRecords(options: CollectOptions, terminal: Terminal): Promise<number> {
  assertRoot();
  nameProgram({ name: "toolkeep", version: VERSION });
  const job = await jobOf(options, terminal.cwd);
  const accounts = accountsOf(options.user);
  const collected = await withFileLock(join(job.state, "collect.lock"), async () => {
    const all: (Collected | undefined)[] = [];
    for (const account of accounts) all.push(await collectOne(account, job, options.user !== undefined));
    return all.filter((one) => one !== undefined);
  });
  terminal.show(collected, collected.flatMap(collectedLines));
  if (collected.length === 0) terminal.note("No user has a record yet.");
  if (job.sign === undefined) terminal.note("The checkpoints are not signed. Add --sign KEY to sign them.");
  const isWhole = collected.every(({ changed, failed }) => changed.length === 0 && failed === undefined);
  return isWhole ? EXIT.ok : EXIT.failure;
}

/** @throws CommandError */
function assertRoot(): void {
  const isPossible = process.getuid !== undefined;
  if (process.getuid?.() === 0) return;
  throw new CommandError(
    isPossible
      ? "Only root can read the records of all users."
      : "This system cannot start a process with the rights of another user.",
    isPossible
      ? { exit: EXIT.denied, hint: "Run `sudo toolkeep audit collect`." }
      : { exit: EXIT.denied, hint: "Run `toolkeep sessions checkpoint` as each user." },
  );
}

interface Job {
  readonly cwd: string;
  readonly folderOf: (account: Account) => string;
  readonly to: string | undefined;
  readonly sign: string | undefined;
  readonly ship: ((from: Machine) => Send) | undefined;
  readonly place: string;
  readonly state: string;
  readonly longestMs: number;
}

async function jobOf(options: CollectOptions, cwd: string): Promise<Job> {
  const settings = await auditSettings(cwd);
  const { to = settings.checkpoint, sink = settings.sink, sign } = options;
  const name = options.format ?? settings.format ?? "jsonl";
  const format = formatOf(name);
  const longest = Number(options.longest ?? "120");
  if (!(longest > 0 && longest <= 86_400))
    throw usageError("--longest is a number of seconds.", "Write --longest 120.");
  assertPerUser(to, cwd);
  return {
    ...{ cwd, to, sign, folderOf: await storeFolders(cwd) },
    ship: sink === undefined ? undefined : (from) => senderTo(sink, format, { cwd, from }),
    place: JSON.stringify([sink, name]),
    state: await stateFolder(options.state ?? STATE),
    longestMs: longest * 1000,
  };
}

/** Each user has checkpoints of their own: one follows the other. */
function assertPerUser(to: string | undefined, cwd: string): void {
  if (to === undefined || to.includes("{user}") || /^https?:/i.test(to)) return;
  checkpointTarget(to, cwd);
  throw usageError(
    "The checkpoints of each user need a place of their own.",
    "Write {user} where the name of the user belongs, as in --to /mnt/audit/{user}.jsonl",
  );
}

/** What was collected is compared with what is kept there, so root alone may write it. @throws CommandError */
async function stateFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const why = whyNotRoots(path);
  if (why === undefined) return path;
  throw new CommandError(`What was collected cannot be kept in ${path}: ${why}.`, {
    exit: EXIT.denied,
    hint: `Run \`chown root: ${path} && chmod go-w ${path}\`.`,
  });
}

/** A broken record stops no other one. `undefined`: there is none, and never was. */
async function collectOne(account: Account, job: Job, isNamed: boolean): Promise<Collected | undefined> {
  const store = job.folderOf(account);
  const found = { user: account.name, store, sessions: 0, sent: 0, changed: [], removed: [] };
  try {
    const own = join(job.state, account.name);
    await mkdir(own, { mode: 0o700, recursive: true });
    const before = await lastOf(own);
    await using reader = new UserReader(process.argv[1] ?? "", job.longestMs);
    const records = await reader.open({
      account,
      folder: store,
      ...(before === undefined ? {} : { before }),
    });
    if (records === undefined && before === undefined)
      return isNamed ? { ...found, failed: "there is no record" } : undefined;
    return { ...found, ...(await keep({ account, own, before, reader, records }, job)) };
  } catch (error) {
    return { ...found, failed: errorText(error) };
  }
}

interface Kept {
  readonly account: Account;
  readonly own: string;
  readonly before: Checkpoint | undefined;
  readonly reader: UserReader;
  readonly records: Records | undefined;
}

const NOTHING: Records = { heads: [], sessions: [], compared: [] };

async function keep({ account, own, before, reader, records }: Kept, job: Job) {
  const from = thisMachine(account.name);
  const { heads, sessions } = records ?? NOTHING;
  const store = {
    heads: () => heads,
    sessions: () => sessions as never,
    export: (session: string) => reader.export(session),
  };
  const isGone = records === undefined && (before?.count ?? 0) > 0;
  const { changed, removed } = isGone
    ? { changed: ["the store was removed"], removed: [] }
    : differencesSince(before, records ?? NOTHING);
  // The proof is kept also where the events cannot be sent.
  let unsent: string | undefined;
  const shipping = await ship(store, { own, from }, job).catch((error: unknown): ShipReport => {
    unsent = errorText(error);
    return { events: 0, sessions: 0, changed: [] };
  });
  await keepCheckpoint(checkpointOf(store, null, from), { account, own }, job);
  const broken = shipping.changed.map(
    (id) => `${id}: its record was changed, or has fewer events than were sent`,
  );
  return {
    sessions: heads.filter(({ sessionId }) => sessionId !== STORE_RECORD).length,
    ...{ sent: shipping.events, changed: [...changed, ...broken], removed },
    ...(unsent === undefined ? {} : { failed: `its events were not sent: ${unsent}` }),
  };
}

/** The same event of another account is another event: users write their ids. */
async function ship(
  store: Parameters<typeof shipFrom>[0],
  { own, from }: { readonly own: string; readonly from: Machine },
  { ship: senderOf, place }: Job,
): Promise<ShipReport> {
  if (senderOf === undefined) return { events: 0, sessions: 0, changed: [] };
  const send = senderOf(from);
  const cursor = join(own, `sent-${hash("sha256", place).slice(0, 32)}.json`);
  return shipFrom(store, cursor, (events) =>
    send(events.map((event) => ({ ...event, id: `${from.account}/${event.id}` }))),
  );
}

async function keepCheckpoint(
  made: Checkpoint,
  { account, own }: Pick<Kept, "account" | "own">,
  { to, sign, cwd }: Job,
): Promise<void> {
  const note = join(own, "last.jsonl");
  const target = checkpointTarget(
    to?.replaceAll("{user}", account.name) ?? join(own, "checkpoints.jsonl"),
    cwd,
  );
  const last = keptIn(await textOf(note));
  const previous = (await target.last()) ?? (last === undefined ? null : checkpointHash(last));
  const kept = await signedCheckpoint({ ...made, previous }, sign, cwd);
  await target.write(checkpointLine(kept));
  await writeOwnedFile(note, checkpointLine(kept));
}

/** What was found the last time. Root wrote it. */
async function lastOf(own: string): Promise<Checkpoint | undefined> {
  return keptIn(await textOf(join(own, "last.jsonl")))?.checkpoint;
}

async function textOf(file: string): Promise<string> {
  return existsSync(file) ? (await readFile(file, "utf8")).trimEnd() : "";
}

function collectedLines({ user, sessions, sent, changed, removed, failed }: Collected): readonly string[] {
  const line = `${visible(user)}  ${sessions} sessions, ${sent} events sent`;
  return [
    failed === undefined ? line : `${visible(user)}  FAILED: ${visible(failed)}`,
    ...changed.map((one) => `  CHANGED: ${visible(one)}`),
    ...removed.map((one) => `  REMOVED: ${visible(one)}`),
  ];
}
