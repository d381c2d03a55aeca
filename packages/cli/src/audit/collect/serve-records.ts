import { lstatSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ToolkeepError } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import type { Checkpoint } from "../evidence/checkpoint.ts";
import { type ComparedSession, compareCheckpoints } from "../evidence/verify-outside.ts";
import type { Account } from "./accounts.ts";

/** The first line that the reader gets. */
export interface ReadRequest {
  readonly account: Account;
  readonly folder: string;
  /** The last checkpoint of this account. */
  readonly before?: Checkpoint;
}

/**
 * Reads the records of one user with that user's rights, and writes what is asked for to standard output. It starts as
 * root and gives that up before it opens anything. A process that did this is not dumpable: the user cannot trace it.
 */
export async function serveRecords(): Promise<number> {
  const lines = createInterface({ input: process.stdin });
  let store: SqliteStore | undefined;
  try {
    for await (const line of lines) {
      const asked = JSON.parse(line) as ReadRequest | { readonly session: string };
      if ("session" in asked) await writeSession(store, asked.session);
      else {
        dropTo(asked.account);
        store = opened(asked.folder);
        write(store === undefined ? { isMissing: true } : await overviewOf(store, asked.before));
      }
    }
    return 0;
  } catch (error) {
    write({ failed: errorText(error) });
    return 1;
  } finally {
    await store?.close();
  }
}

/** @throws Error unless every right of root is gone. */
function dropTo({ name, uid, gid }: Account): void {
  const { initgroups } = process as { readonly initgroups?: (user: string, group: number) => void };
  if (initgroups === undefined) throw new Error("the groups of root cannot be given up");
  initgroups(name, gid);
  process.setgid?.(gid);
  process.setuid?.(uid);
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()];
  if (ids.join() !== [uid, uid, gid, gid].join()) throw new Error("the rights of root could not be given up");
  process.umask(0o077);
}

/** Opening a store that is not there would make it. A pipe would be waited for. */
function opened(folder: string): SqliteStore | undefined {
  const found = lstatSync(join(folder, "toolkeep.db"), { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new Error("its database is not a file");
  return openSqliteStore({ path: folder });
}

async function overviewOf(store: SqliteStore, before: Checkpoint | undefined): Promise<object> {
  const kept = before === undefined ? [] : [{ checkpoint: before }];
  // A list of sessions looks at files of the user, who can make it wait: what is signed is read after it, and once.
  const sessions = store.sessions().map(({ sessionId, openedAt }) => ({ sessionId, openedAt }));
  const heads = store.heads();
  const asRead: Parameters<typeof compareCheckpoints>[0] = {
    heads: () => heads,
    headAt: (id, nextSeq) => store.headAt(id, nextSeq),
    events: (id, query) => store.events(id, query),
  };
  const compared = await compareCheckpoints(asRead, kept);
  return { heads, sessions, compared: [...compared, ...(await brokenIn(store, heads))] };
}

/** The ends of a record may stay as they were where its events are rewritten. */
async function brokenIn(
  store: SqliteStore,
  heads: ReturnType<SqliteStore["heads"]>,
): Promise<readonly ComparedSession[]> {
  const broken: ComparedSession[] = [];
  for (const { sessionId } of heads) {
    const verdict = await store.verify(sessionId);
    if (!verdict.intact) broken.push({ sessionId, state: "changed", diagnostic: verdict.diagnostic });
  }
  return broken;
}

async function writeSession(store: SqliteStore | undefined, session: string): Promise<void> {
  try {
    for await (const line of store?.export(session) ?? []) await drained(write({ line }));
    write({ isEnd: true });
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    write({ broken: error.message, code: error.code });
  }
}

function write(answer: object): boolean {
  return process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** The collector takes what it can send on. */
async function drained(isTaken: boolean): Promise<void> {
  if (!isTaken) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
}
