import { createHash } from "node:crypto";
import { canonicalJson, currentProgram, defined, type Program } from "@toolkeep/core/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { CommandError } from "../../terminal/command-error.ts";
import type { Machine } from "./machine.ts";
import { isSignedBy } from "./ssh-signing.ts";

/** Where the record of every session of a store ended at one time. Kept elsewhere, it shows what was changed since. */
export interface Checkpoint {
  readonly toolkeep: "checkpoint";
  readonly version: 1;
  readonly at: string;
  readonly program: Program;
  /** Whose records these are, and on which machine: written by `audit collect`. */
  readonly of?: Machine;
  /** The hash of the checkpoint before it; `null` for the first one. */
  readonly previous: string | null;
  /** How many sessions there are. */
  readonly count: number;
  readonly sessions: readonly CheckpointHead[];
}

/** Where the record of one session ended. */
export interface CheckpointHead {
  readonly id: string;
  /** The number of its next event. */
  readonly seq: number;
  readonly hash: string;
  readonly activeAt: number;
}

/** A checkpoint as it is kept: one line of JSON. */
export interface KeptCheckpoint {
  readonly checkpoint: Checkpoint;
  /** As `ssh-keygen -Y sign -n toolkeep-checkpoint` writes it. */
  readonly signature?: string;
}

/** Taken together: a session that is written to meanwhile ends where it did. */
export function checkpointOf(
  store: Pick<SqliteStore, "heads">,
  previous: string | null,
  of?: Machine,
): Checkpoint {
  const sessions = store
    .heads()
    .map(({ sessionId, nextSeq, head, activeAt }) => ({ id: sessionId, seq: nextSeq, hash: head, activeAt }));
  return {
    ...{ toolkeep: "checkpoint", version: 1, at: new Date().toISOString(), program: currentProgram() },
    ...defined({ of }),
    ...{ previous, count: sessions.length, sessions },
  };
}

/** The line that is kept. */
export function checkpointLine(kept: KeptCheckpoint): string {
  return `${canonicalJson(kept)}\n`;
}

/** What the next checkpoint names. */
export function checkpointHash({ checkpoint }: KeptCheckpoint): string {
  return createHash("sha256").update(canonicalJson(checkpoint)).digest("hex");
}

/**
 * The checkpoints of a file, in order: each is the one that was written, follows the one before and, with a key, is
 * signed with it.
 * @throws CommandError for a file that was changed.
 */
export async function readCheckpoints(text: string, key?: string): Promise<readonly KeptCheckpoint[]> {
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.length === 0) throw changed(lines.length, "its end is missing");
  const read: KeptCheckpoint[] = [];
  for (const [index, line] of lines.entries()) {
    const kept = keptIn(line);
    if (kept === undefined) throw changed(index, "it is not a checkpoint");
    const before = read.at(-1);
    if (before !== undefined && kept.checkpoint.previous !== checkpointHash(before))
      throw changed(index, "it does not follow the one before");
    if (key !== undefined && !(await isSigned(kept, key)))
      throw changed(index, "it is not signed with the key");
    read.push(kept);
  }
  return read;
}

async function isSigned({ checkpoint, signature }: KeptCheckpoint, key: string): Promise<boolean> {
  return signature !== undefined && isSignedBy(key, canonicalJson(checkpoint), signature);
}

/** The checkpoint of a line. Only the text that we write is one: another spelling is a change. */
export function keptIn(line: string): KeptCheckpoint | undefined {
  try {
    const kept = JSON.parse(line) as KeptCheckpoint;
    const { toolkeep, version, sessions } = kept.checkpoint;
    const isOurs = toolkeep === "checkpoint" && version === 1 && Array.isArray(sessions);
    return isOurs && canonicalJson(kept) === line ? kept : undefined;
  } catch {
    return undefined;
  }
}

function changed(index: number, why: string): CommandError {
  return new CommandError(`Checkpoint ${index + 1} of the file was changed: ${why}.`);
}
