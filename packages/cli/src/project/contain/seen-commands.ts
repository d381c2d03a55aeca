import { hash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { containFolder, readOwnedFile, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";

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
const MOST_BYTES = 4_000_000;

function seenFile(project: string): string {
  return join(containFolder(), `seen-${hash("sha256", project).slice(0, 24)}.json`);
}

/** What an identical command did when it ran contained; asked once. */
export async function seenCommand(
  project: string,
  { command, cwd }: Pick<SeenCommand, "command" | "cwd">,
): Promise<SeenCommand | undefined> {
  return (await all(seenFile(project))).find((one) => one.command === command && one.cwd === cwd);
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
    await changeFile(join(containFolder(), name), (kept) =>
      kept.filter((one) => one.sessionId !== sessionId),
    );
}

function isSame(one: SeenCommand, other: Pick<SeenCommand, "command" | "cwd">): boolean {
  return one.command === other.command && one.cwd === other.cwd;
}

async function all(file: string): Promise<readonly SeenCommand[]> {
  const found = await readOwnedFile(file, { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined || found.error !== undefined) return [];
  try {
    const { version, seen } = JSON.parse(found.text) as { version?: unknown; seen?: unknown };
    const now = Date.now();
    const kept = version === 1 && Array.isArray(seen) ? (seen as SeenCommand[]) : [];
    return kept.filter(({ at }) => Math.abs(now - at) < KEPT_MS);
  } catch {
    return [];
  }
}

function change(project: string, changed: Parameters<typeof changeFile>[1]): Promise<void> {
  return changeFile(seenFile(project), changed);
}

async function changeFile(
  file: string,
  changed: (kept: readonly SeenCommand[]) => readonly SeenCommand[],
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o711 });
  await withFileLock(`${file}.lock`, async () => {
    await writeOwnedFile(file, JSON.stringify({ version: 1, seen: changed(await all(file)) }));
  });
}
