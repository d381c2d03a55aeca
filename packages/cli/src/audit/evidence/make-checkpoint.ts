import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canonicalJson } from "@toolkeep/core/internal";
import { withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { auditSettings } from "../../project/store/audit-settings.ts";
import { withStore } from "../../project/store/with-store.ts";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { checkpointHash, checkpointLine, checkpointOf, type KeptCheckpoint } from "./checkpoint.ts";
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
    throw new CommandError("A checkpoint needs a place to be kept.", {
      exit: EXIT.usage,
      hint: "Add --to FILE, --to https://… or --to FOLDER (a git repository).",
    });
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
  const signature =
    sign === undefined ? undefined : await signWith(resolve(terminal.cwd, sign), canonicalJson(checkpoint));
  const kept: KeptCheckpoint = signature === undefined ? { checkpoint } : { checkpoint, signature };
  await target.write(checkpointLine(kept));
  const hash = checkpointHash(kept);
  await writeOwnedFile(noteIn(store), `${hash}\n`);
  const { at, count, previous } = checkpoint;
  terminal.show({ to, at, count, hash, previous, isSigned: signature !== undefined }, [
    `${at}  ${count} sessions, ${signature === undefined ? "not signed" : "signed"}, ${hash}`,
  ]);
  if (signature === undefined)
    terminal.note("A user who can write there can replace it. Add --sign KEY to sign it.");
  return EXIT.ok;
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
