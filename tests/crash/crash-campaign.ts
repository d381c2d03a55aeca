import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { runProgram } from "./run-program.ts";

/** What a campaign of kills left behind. */
export interface CrashRecord {
  readonly kills: number;
  /** What was said aloud before a kill: `turn/call outcome`. */
  readonly reported: readonly string[];
  /** The effects that happened: `tool session/turn/call`. */
  readonly marks: readonly string[];
  readonly events: readonly JournalEvent[];
  /** What the store said of the session after each kill. */
  readonly verdicts: readonly string[];
  /** Turns that were begun and are not over after the last life. */
  readonly unfinished: readonly string[];
}

const MOST_LINES = 25;
const LONGEST_PAUSE_MS = 15;

/** Lets a process work on a session and kills it, again and again; then lets a last one finish what is left. */
export async function crashAgainAndAgain(folder: string, kills: number): Promise<CrashRecord> {
  const input = { folder: join(folder, "store"), marks: join(folder, "marks") };
  const reported: string[] = [];
  const verdicts: string[] = [];
  for (let life = 0; life <= kills; life += 1) {
    const last = life === kills;
    const child = runProgram("work-until-killed.ts", { ...input, life, last });
    if (!last) {
      // Counted in what it got done: how long that takes depends on the machine.
      await child.saidLines(1 + Math.floor(Math.random() * MOST_LINES));
      await pause(Math.random() * LONGEST_PAUSE_MS);
      child.kill();
    }
    const { code, errors } = await child.ended;
    if (errors !== "" || (last && code !== 0)) throw new Error(`Life ${life} ended with ${code}: ${errors}`);
    reported.push(...child.lines.filter((line) => line.startsWith("settled ")).map((line) => line.slice(8)));
    verdicts.push(await verdictOf(input.folder));
  }
  const store = openSqliteStore({ path: input.folder });
  const events = await Array.fromAsync(store.events("crash"));
  const unfinished = store.sessions()[0]?.unfinishedTurns ?? [];
  await store.close();
  return { kills, reported, marks: linesOf(input.marks), events, verdicts, unfinished };
}

async function verdictOf(folder: string): Promise<string> {
  const store = openSqliteStore({ path: folder });
  const verdict = await store.verify("crash");
  await store.close();
  return verdict.intact ? "intact" : verdict.diagnostic;
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
