import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canonicalJson } from "@toolkeep/core/internal";
import { withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { auditSettings } from "../../project/store/audit-settings.ts";
import { withStore } from "../../project/store/with-store.ts";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import {
  type Checkpoint,
  checkpointHash,
  checkpointLine,
  checkpointOf,
  type KeptCheckpoint,
} from "./checkpoint.ts";
import { type CheckpointTarget, checkpointTarget } from "./checkpoint-targets.ts";
import { signWith } from "./ssh-signing.ts";

export interface CheckpointOptions {
  readonly to?: string | undefined;
  readonly sign?: string | undefined;
  readonly store?: string | undefined;
}

/** Writes where the record of every session ends to a place outside of the store. */
export async function makeCheckpoint(options: CheckpointOptions, terminal: Terminal): Promise<number> {
  const { to = (await auditSettings(terminal.cwd)).checkpoint, sign, store: folder } = options;
  if (to === undefined)
    throw usageError(
      "A checkpoint needs a place to be kept.",
      "Add --to FILE, --to https://… or --to FOLDER (a git repository).",
    );
  const target = checkpointTarget(to, terminal.cwd);
  return withStore(
    terminal.cwd,
    (store) =>
      // One after the other: each names the one before.
      withFileLock(join(store.path, "checkpoint.lock"), () =>
        keepCheckpoint({ to, sign, store, target }, terminal),
      ),
    folder,
  );
}

interface Keeping {
  readonly to: string;
  readonly sign: string | undefined;
  readonly store: SqliteStore;
  readonly target: CheckpointTarget;
}

async function keepCheckpoint({ to, sign, store, target }: Keeping, terminal: Terminal): Promise<number> {
  const checkpoint = checkpointOf(store, (await target.last()) ?? (await lastOf(store)));
  const kept = await signedCheckpoint(checkpoint, sign, terminal.cwd);
  await target.write(checkpointLine(kept));
  const hash = checkpointHash(kept);
  await writeOwnedFile(noteIn(store), `${hash}\n`);
  const { at, count, previous } = checkpoint;
  terminal.show({ to, at, count, hash, previous, isSigned: sign !== undefined }, [
    `${at}  ${count} sessions, ${sign === undefined ? "not signed" : "signed"}, ${hash}`,
  ]);
  if (sign === undefined)
    terminal.note("A user who can write there can replace it. Add --sign KEY to sign it.");
  return EXIT.ok;
}

/** With a signature, if a key is given. @throws CommandError */
export async function signedCheckpoint(
  checkpoint: Checkpoint,
  key: string | undefined,
  cwd: string,
): Promise<KeptCheckpoint> {
  if (key === undefined) return { checkpoint };
  return { checkpoint, signature: await signWith(resolve(cwd, key), canonicalJson(checkpoint)) };
}

/** Says what the next checkpoint follows where the place itself cannot be read. */
function noteIn(store: Pick<SqliteStore, "path">): string {
  return join(store.path, "last-checkpoint");
}

async function lastOf(store: Pick<SqliteStore, "path">): Promise<string | null> {
  const note = noteIn(store);
  const text = existsSync(note) ? (await readFile(note, "utf8")).trim() : "";
  return /^[0-9a-f]{64}$/.test(text) ? text : null;
}
