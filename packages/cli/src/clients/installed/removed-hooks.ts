import { join } from "node:path";
import { joinCommand, visible } from "@toolkeep/core/internal";
import { changeState, directories, readState, type StateFile } from "@toolkeep/node/internal";
import { INSTALL_CLIENTS, type InstallClientName } from "../install-client.ts";

/** Hooks of an installation that are gone, or switched off, without `toolkeep uninstall`. */
export interface RemovedHooks {
  readonly client: InstallClientName;
  readonly project: string;
  /** The file that decides about it. */
  readonly file: string;
  /** When it was noticed, in milliseconds since the epoch. */
  readonly at: number;
}

type Installed = Pick<RemovedHooks, "client" | "project">;

const MOST_KEPT = 20;
const LONGEST_PATH = 4_096;
const LONGEST_NOTE = 700;

function removedIn(state: string): StateFile<readonly RemovedHooks[]> {
  const parse = (written: unknown) =>
    Array.isArray(written) ? written.filter(isRemoved).slice(0, MOST_KEPT) : [];
  return { file: join(state, "removed-hooks.json"), key: "removed", parse };
}

/** What was noticed and not looked after yet, newest first. Empty for a file that is invalid or that others may write. */
export async function readRemovedHooks(state = directories().state): Promise<readonly RemovedHooks[]> {
  return readState(removedIn(state));
}

/** Returns whether it is new. Durable when it returns. */
export async function addRemovedHooks(state: string, removed: RemovedHooks): Promise<boolean> {
  return changeState(removedIn(state), (all) =>
    all.some((one) => isSame(one, removed)) ? undefined : [removed, ...all].slice(0, MOST_KEPT),
  );
}

/** The user has installed or uninstalled there. */
export async function forgetRemovedHooks(installed: Installed): Promise<void> {
  const { state } = directories();
  if (!(await readRemovedHooks(state)).some((one) => isSame(one, installed))) return;
  await changeState(removedIn(state), (all) => all.filter((one) => !isSame(one, installed)));
}

/** One line for people; `undefined` if nothing was noticed. Paths have no control characters in it. */
export async function removedHooksNote(): Promise<string | undefined> {
  const [latest, ...others] = await readRemovedHooks();
  if (latest === undefined) return undefined;
  const { client, project, file, at } = latest;
  const again = (command: string) => joinCommand(["toolkeep", command, client, "--project", project]);
  const more = others.length === 0 ? "" : ` The same in ${others.length} more: see \`toolkeep log\`.`;
  return visible(
    `Warning: the hooks of ${client} in ${project} were removed, changed or switched off in ${file} without \`toolkeep uninstall\` (noticed ${new Date(at).toISOString()}). Calls there may run undecided. Run \`${again("uninstall")}\`, then \`${again("init")}\`.${more}`,
    LONGEST_NOTE,
  );
}

function isSame(one: Installed, other: Installed): boolean {
  return one.client === other.client && one.project === other.project;
}

function isRemoved(value: unknown): value is RemovedHooks {
  const { client, project, file, at } = (value ?? {}) as Partial<Record<keyof RemovedHooks, unknown>>;
  const isPath = (path: unknown) => typeof path === "string" && path.length <= LONGEST_PATH;
  if (!isPath(project) || !isPath(file) || typeof at !== "number") return false;
  return INSTALL_CLIENTS.some((one) => one === client) && Math.abs(at) < 8.64e15;
}
