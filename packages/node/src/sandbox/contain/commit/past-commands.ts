import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { defined, isWithin } from "@toolkeep/core/internal";
import { removeTree } from "../../../owned-files/remove-tree.ts";
import { withFileLock } from "../../../owned-files/with-file-lock.ts";
import type { HeldChange } from "../layer/evaluated-changes.ts";
import { COMMANDS, nextCommand, type ProjectState, projectState } from "../layer/open-layer.ts";
import { stampAt } from "../layer/stamp.ts";
import {
  closeByCommit,
  forgetOld,
  forgottenIn,
  type HeldWork,
  type PastCommand,
  pastCommands,
  recoverPast,
} from "./past.ts";
import { checkUndo, undoCommit } from "./undo-commit.ts";

/** What contained commands of a project left: to look at, to keep, to undo. */
export interface ProjectPast {
  /** Where all of it is. */
  readonly folder: string;
  /** The oldest first. */
  readonly commands: readonly PastCommand[];
  /** The numbers of commands that cannot be undone any more, because others took the space for undo. */
  readonly forgotten: readonly number[];
  /** Brings held changes to the project; those that still have to wait. */
  keep(number: number, path?: string): Promise<readonly HeldChange[]>;
  /**
   * Gives the project back what it had before these commands, the latest of them first.
   * @throws ChangedSince if one of them was changed since: before any is undone, unless it is changed meanwhile.
   */
  undo(...numbers: readonly number[]): Promise<readonly string[]>;
}

export function lockOf({ folder }: Pick<ProjectState, "folder">): string {
  return join(folder, "commit.lock");
}

/** Where a process left a commit half-done, it is done first. */
export async function projectPast(folder: string, project: string): Promise<ProjectPast> {
  const state = projectState(folder, project);
  const locked = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (!existsSync(state.folder)) throw notFound();
    return withFileLock(lockOf(state), run);
  };
  if (existsSync(join(state.folder, COMMANDS))) await locked(() => recoverPast(state));
  const one = (number: number) => {
    const found = pastCommands(state).find((past) => past.number === number);
    if (found === undefined) throw notFound();
    return found;
  };
  return {
    folder: state.folder,
    commands: pastCommands(state),
    forgotten: forgottenIn(state),
    keep: (number, path) => locked(() => kept(state, one(number), path)),
    undo: (...numbers) => locked(() => undone(numbers.map(one))),
  };
}

async function undone(commands: readonly PastCommand[]): Promise<readonly string[]> {
  const later: string[] = [];
  for (const { folder } of commands) {
    await checkUndo(folder, later);
    later.push(folder);
  }
  const paths: string[] = [];
  for (const { folder } of commands) paths.push(...(await undoCommit(folder)));
  return paths;
}

/** Removes what can be undone, and what is held, of commands in all projects; and what is past its age. Returns how many. */
export async function forgetPast(
  folder: string,
  isForgotten: (command: PastCommand) => boolean,
): Promise<number> {
  let count = 0;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const state = { folder: join(folder, name) };
    if (!existsSync(join(state.folder, COMMANDS))) continue;
    await withFileLock(lockOf(state), async () => {
      await recoverPast(state);
      const gone = pastCommands(state).filter(isForgotten);
      for (const command of gone) removeTree(command.folder);
      count += gone.length;
      forgetOld(state);
    });
  }
  return count;
}

function notFound(): ToolFailure {
  return new ToolFailure("not_found", "There is no such command.", {
    hint: "Run `toolkeep changes` to see them.",
  });
}

/** As a commit of its own, so that it can be undone by itself. */
async function kept(state: ProjectState, past: PastCommand, path: string | undefined) {
  const isWanted = (one: HeldChange | HeldWork) => path === undefined || isWithin(one.path, path);
  const work = past.work.filter(isWanted);
  const paths = new Set(work.map((one) => one.path));
  const others = past.held.filter((one) => isWanted(one) && !paths.has(one.path));
  if (work.length === 0) {
    if (others.length > 0) return others.map(cannotBeKept);
    throw new ToolFailure("not_found", "Nothing of that is held.");
  }
  const { folder } = nextCommand(state, 0o700);
  // What is at a path now is what the user saw, and is kept to undo it.
  const changes = work.map(({ path, does, type }) => {
    const was = stampAt(join(state.project, path));
    return { path, does, type, ...defined({ was }), isContested: false };
  });
  const since = BigInt(Date.now()) * 1_000_000n;
  const upper = join(past.folder, "upper");
  const line = `toolkeep keep ${past.number}${path === undefined ? "" : ` ${path}`}`;
  const again = { number: past.number, held: past.held.filter((one) => paths.has(one.path)), work };
  const late = await closeByCommit(
    { project: state.project, folder, upper, changes, since, most: Number.POSITIVE_INFINITY },
    { ...past, line, kept: [], held: [], work: [], again },
    past.folder,
  );
  return [...late, ...others.map(cannotBeKept)];
}

function cannotBeKept({ path, why }: HeldChange): HeldChange {
  return { path, why: `${why}, and cannot be kept` };
}
