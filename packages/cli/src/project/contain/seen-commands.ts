import { hash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { changeState, containFolder, readState } from "@toolkeep/node/internal";
import { containList } from "./state-list.ts";

/** A command that ran contained, and of which something has to be asked. */
export interface SeenCommand {
  readonly command: string;
  readonly cwd: string;
  readonly sessionId?: string;
  /** What it reached for, what is held of it, and what it only seemed to do. */
  readonly lines: readonly string[];
  readonly at: number;
}

const KEPT_MS = 24 * 60 * 60_000;
const MOST_KEPT = 500;

const seenList = (project: string) => listIn(`seen-${hash("sha256", project).slice(0, 24)}.json`);
const listIn = (name: string) => containList<SeenCommand>(name, "seen");

/** What an identical command did when it ran contained; asked once. */
export async function seenCommand(
  project: string,
  { command, cwd }: Pick<SeenCommand, "command" | "cwd">,
): Promise<SeenCommand | undefined> {
  return recent(await readState(seenList(project))).find((one) => one.command === command && one.cwd === cwd);
}

/** Remembers a command until its next call was asked about, for a day at most. */
export function rememberSeen(project: string, seen: SeenCommand): Promise<void> {
  return change(project, (kept) => [...kept.filter((one) => !isSame(one, seen)), seen].slice(-MOST_KEPT));
}

export function forgetSeen(project: string, seen: Pick<SeenCommand, "command" | "cwd">): Promise<void> {
  return change(project, (kept) => kept.filter((one) => !isSame(one, seen)));
}

/** Forgets the commands of a session that is erased, in all projects. */
export async function forgetSeenOf(sessionId: string): Promise<void> {
  const names = await readdir(containFolder()).catch(() => []);
  for (const name of names.filter((one) => /^seen-\w+\.json$/.test(one)))
    await changeState(listIn(name), (kept) => kept.filter((one) => one.sessionId !== sessionId));
}

function isSame(one: SeenCommand, other: Pick<SeenCommand, "command" | "cwd">): boolean {
  return one.command === other.command && one.cwd === other.cwd;
}

function recent(seen: readonly SeenCommand[]): readonly SeenCommand[] {
  const now = Date.now();
  return seen.filter(({ at }) => Math.abs(now - at) < KEPT_MS);
}

async function change(
  project: string,
  changed: (kept: readonly SeenCommand[]) => readonly SeenCommand[],
): Promise<void> {
  await changeState(seenList(project), (kept) => changed(recent(kept)));
}
