import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directories, readOwnedFile, withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { Project } from "../read-project.ts";

/** A time in which nothing is asked that may be paused. Times are milliseconds since the epoch. */
export interface Pause {
  readonly since: number;
  readonly until: number;
  /** Who paused. */
  readonly by: string;
}

/** Stands for every project. */
export const ALL_PROJECTS = "*";
export const LONGEST_PAUSE_MS = 4 * 60 * 60 * 1_000;

const MOST_BYTES = 1_000_000;
/** Clocks are set back. A pause that begins much later is not one that this program wrote. */
const CLOCK_MS = 60_000;

/** In the user's state folder: no file of a project can pause anything. */
function pausesFile(): string {
  return join(directories().state, "pauses.json");
}

/** The pause of a project, or of all projects. Never one where an administrator configures the policy. */
export async function activePause({
  root,
  isManaged,
}: Pick<Project, "root" | "isManaged">): Promise<Pause | undefined> {
  if (isManaged) return undefined;
  const kept = await readPauses();
  return kept[root] ?? kept[ALL_PROJECTS];
}

/** The pauses that have not ended, by project. A file that is invalid or that others may write pauses nothing. */
export async function readPauses(now: number = Date.now()): Promise<Readonly<Record<string, Pause>>> {
  const found = await readOwnedFile(pausesFile(), { mostBytes: MOST_BYTES, owners: "us" });
  if (found === undefined || found.error !== undefined) return {};
  const pauses = Object.entries(parse(found.text)).filter(([, pause]) => isActive(pause, now));
  return Object.fromEntries(pauses as [string, Pause][]);
}

/** Sets or ends the pause of a project. Durable when it returns. */
export async function setPause(project: string, pause: Pause | undefined): Promise<void> {
  const file = pausesFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(`${file}.lock`, async () => {
    const { [project]: _before, ...others } = await readPauses();
    const pauses = pause === undefined ? others : { ...others, [project]: pause };
    await writeOwnedFile(file, `${JSON.stringify({ version: 1, pauses }, undefined, 2)}\n`);
  });
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const { version, pauses } = JSON.parse(text) as { version?: unknown; pauses?: unknown };
    return version === 1 && typeof pauses === "object" && pauses !== null ? { ...pauses } : {};
  } catch {
    return {};
  }
}

function isActive(value: unknown, now: number): value is Pause {
  const { since, until, by } = (value ?? {}) as Partial<Pause>;
  if (typeof since !== "number" || typeof until !== "number" || typeof by !== "string") return false;
  return until > now && since <= now + CLOCK_MS && until - since <= LONGEST_PAUSE_MS;
}

/** How the audit log names a pause. */
export function pauseName({ until, by }: Pause): string {
  return `pause until ${new Date(until).toISOString()} by ${by}`;
}
