import { join } from "node:path";
import { isRecord } from "@toolkeep/core/internal";
import { changeState, directories, readState, type StateFile } from "@toolkeep/node/internal";
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

/** Clocks are set back. A pause that begins much later is not one that this program wrote. */
const CLOCK_MS = 60_000;

type Pauses = Readonly<Record<string, Pause>>;

function pausesFile(now: number): StateFile<Pauses> {
  const parse = (written: unknown) =>
    Object.fromEntries(
      Object.entries(isRecord(written) ? written : {}).filter((one): one is [string, Pause] =>
        isActive(one[1], now),
      ),
    );
  return { file: join(directories().state, "pauses.json"), key: "pauses", parse };
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
export function readPauses(now: number = Date.now()): Promise<Pauses> {
  return readState(pausesFile(now));
}

/** Sets or ends the pause of a project. Durable when it returns. */
export async function setPause(project: string, pause: Pause | undefined): Promise<void> {
  await changeState(pausesFile(Date.now()), ({ [project]: _before, ...others }) =>
    pause === undefined ? others : { ...others, [project]: pause },
  );
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
