import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isBeneath, isProtectedName, isSecretFile, isWithin } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import { gitStates } from "../../../git/git-states.ts";
import { AUTO_EXECUTED_SECRET } from "../../scan/auto-executed-secret.ts";
import { quoted } from "../wants/want-lines.ts";
import { type Change, type ChangeSet, hasSameBytes, statsAt } from "./change-set.ts";
import { gitObjection, inRepository } from "./git-changes.ts";
import { maskObjection } from "./masked-files.ts";
import { isRemade } from "./remade.ts";

export interface HeldChange {
  readonly path: string;
  readonly why: string;
}

/** What of a change set comes to the project, and what does not. */
export interface EvaluatedChanges {
  readonly kept: readonly Change[];
  readonly held: readonly HeldChange[];
}

export interface Evaluating {
  /** The project and the layer over it. */
  readonly below: string;
  readonly upper: string;
  /** Where settings that decide what is run lead. */
  readonly deciding: readonly string[];
  /** What the command saw as empty files, relative to the project. */
  readonly masked: readonly string[];
  /** Why the policy objects to each of the effects; `undefined` where it does not. */
  evaluate(effects: readonly Effect[]): Promise<readonly (string | undefined)[]>;
}

/** Decides about a change set: by what it did, whatever the command said. */
export async function evaluatedChanges(set: ChangeSet, evaluating: Evaluating): Promise<EvaluatedChanges> {
  const names = new Map(set.left.map((path) => [path, "not a file, a folder or a link with a name of text"]));
  const contested = set.changes.filter(({ isContested }) => isContested);
  for (const { path } of contested) names.set(path, "changed by another program meanwhile");
  for (const change of set.changes)
    for (const path of [change.path, ...(change.inside ?? [])]) {
      const why = objection(path, change, evaluating);
      if (why !== undefined && !names.has(path)) names.set(path, why);
    }
  for (const [path, why] of await policyObjections(set, evaluating))
    if (!names.has(path)) names.set(path, why);
  const isMoved = movedBy(set.changes, evaluating);
  for (const lost of [
    mostRemoved(set.changes, evaluating.below, isMoved),
    lostContent(set.changes, evaluating.below, isMoved),
  ])
    if (lost !== undefined) for (const path of lost.paths) if (!names.has(path)) names.set(path, lost.why);
  stayWhole(set.changes, names);
  const repositories = heldRepositories(set.changes, names);
  const kept: Change[] = [];
  const held = new Map(names);
  for (const change of set.changes) {
    const store = inRepository(change.path)?.store;
    if (names.has(change.path)) continue;
    if (store !== undefined && repositories.has(store))
      held.set(change.path, "belongs to a change of git that is held");
    else kept.push(change);
  }
  return { kept, held: [...held].map(([path, why]) => ({ path, why })) };
}

/** A new folder comes to the project in one step: with anything in it that is held, it stays as a whole. */
function stayWhole(changes: readonly Change[], names: Map<string, string>): void {
  const made = new Set(changes.flatMap(({ path, inside }) => (inside === undefined ? [] : [path])));
  for (const [path, why] of [...names])
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      if (!made.has(folder)) continue;
      names.delete(path);
      if (!names.has(folder)) names.set(folder, `${quoted(path)}: ${why}`);
    }
}

/** Objects, index and refs belong together: where one of them changed meanwhile, all of them wait. */
function heldRepositories(
  changes: readonly Change[],
  names: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ path, isContested }) => {
      const found = inRepository(path);
      if (found === undefined || !names.has(path)) return [];
      return isContested || WITH_THE_REST.test(found.rest) ? [found.store] : [];
    }),
  );
}

const WITH_THE_REST =
  /^(?:index$|HEAD$|packed-refs$|refs\/(?!replace)|objects\/(?!info\/)|rebase-|sequencer)/;

function objection(
  path: string,
  change: Change,
  { below, upper, deciding, masked }: Evaluating,
): string | undefined {
  const unseen = maskObjection(path, change, masked);
  if (unseen !== undefined) return unseen;
  if (inRepository(path) !== undefined) return gitObjection(path, { below, upper });
  if (deciding.some((one) => decides(join(below, path), change, { below, one }))) return NAMED;
  if (INSTALLED.test(path)) return undefined;
  if (isProtectedName(path)) return "programs run it by themselves";
  if (AUTO_EXECUTED_SECRET.test(path) && !/\.env(?:\.[^/]*)?$/i.test(path))
    return "programs run what it names";
  return change.was !== undefined && isSecretFile(path) ? "a file with secrets" : undefined;
}

const NAMED = "settings of git, or a link that decides what is run, lead there";

/** Whether a change is to what settings lead to, or to a link on the way there. */
function decides(
  path: string,
  { does, type, was }: Change,
  { below, one }: { readonly below: string; readonly one: string },
): boolean {
  if (isWithin(below, one)) return dirname(path) === one && isProtectedName(`hooks/${basename(path)}`);
  const isPlainFolder = type === "folder" && (does === "mode" || (does === "put" && was === undefined));
  return isWithin(path, one) || (isBeneath(one, path) && !isPlainFolder);
}

async function policyObjections({ changes }: ChangeSet, { below, evaluate }: Evaluating) {
  const asked = changes.flatMap(({ path, does, inside }) => {
    const capability = does === "remove" ? "fs.delete" : "fs.write";
    return [path, ...(inside ?? [])]
      .filter((one) => inRepository(one) === undefined)
      .map((one) => ({ path: one, effect: { capability, target: join(below, one) } }));
  });
  const said = await evaluate(asked.map(({ effect }) => effect));
  return asked.flatMap(({ path }, at) => {
    const why = said[at];
    return why === undefined ? [] : [[path, why] as const];
  });
}

/** Packages: what is in them is run as it is. */
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages)\//;
const FEWEST_OF_MOST = 5;

/** Removing most of a project is no ordinary work, whether or not git has it. */
function mostRemoved(changes: readonly Change[], below: string, isMoved: (path: string) => boolean) {
  const found: string[] = [];
  const going = changes.filter(({ path, does }) => does === "remove" && !isRemade(path, below));
  for (const { path, type } of going)
    if (type === "folder") filesIn(below, path, found);
    else found.push(path);
  const removed = found.filter((path) => !isMoved(path));
  if (removed.length < FEWEST_OF_MOST) return undefined;
  const all: string[] = [];
  filesIn(below, "", all);
  if (2 * removed.length < all.length) return undefined;
  return {
    paths: going.map(({ path }) => path),
    why: `one of ${removed.length} removed files of the ${all.length} of the project`,
  };
}

const MOST_LOST_FILES = 20;
const MOST_REPLACED_FILES = 200;
const MOST_LOST_BYTES = 64 * 2 ** 20;
const MOST_LOOKED_AT = 20_000;

/** Content that would go and that git does not have, if it is more than a little. */
function lostContent(changes: readonly Change[], below: string, isMoved: (path: string) => boolean) {
  const removed: string[] = [];
  const replaced: string[] = [];
  for (const { path, does, was, type } of changes) {
    if (was === undefined || inRepository(path) !== undefined || isRemade(path, below)) continue;
    if (does === "remove" && type === "folder") filesIn(below, path, removed);
    else if (does === "remove") removed.push(path);
    else if (does === "put") replaced.push(path);
  }
  const states = gitStates(
    [...removed, ...replaced].slice(0, MOST_LOOKED_AT).map((path) => join(below, path)),
    () => true,
  );
  const lost = (paths: readonly string[]) =>
    paths.filter((path) => states.get(join(below, path)) !== "recorded" && !isMoved(path));
  const [gone, over] = [lost(removed), lost(replaced)];
  const bytes = [...gone, ...over].reduce((sum, path) => sum + (statsAt(join(below, path))?.size ?? 0n), 0n);
  if (gone.length <= MOST_LOST_FILES && over.length <= MOST_REPLACED_FILES && bytes <= MOST_LOST_BYTES)
    return undefined;
  const paths = changes.filter(
    ({ path, does, was }) =>
      was !== undefined && (does === "remove" || does === "put") && !isRemade(path, below),
  );
  const count = gone.length + over.length;
  return {
    paths: paths.map(({ path }) => path),
    why: `one of ${count} files that would go and that git does not have`,
  };
}

/** Tells which files of the project have another place now, with all that is in them. */
function movedBy(changes: readonly Change[], { below, upper }: Pick<Evaluating, "below" | "upper">) {
  const keyOf = (path: string) => {
    const stats = statsAt(path);
    return stats?.isFile() === true ? `${stats.size} ${stats.mtimeNs}` : "";
  };
  const put = changes.filter(({ does }) => does === "put").flatMap(({ path, inside = [path] }) => inside);
  const places = Map.groupBy(put, (path) => keyOf(join(upper, path)));
  return (path: string) => {
    const key = keyOf(join(below, path));
    if (key === "") return false;
    return places.get(key)?.some((one) => hasSameBytes(join(upper, one), join(below, path))) === true;
  };
}

/** None for a folder that is closed to us, or that has just gone. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["EACCES", "ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

function filesIn(below: string, folder: string, into: string[]): void {
  for (const entry of entriesOf(join(below, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (into.length > MOST_LOOKED_AT) return;
    if (isRemade(path, below) || inRepository(path) !== undefined) continue;
    if (entry.isDirectory()) filesIn(below, path, into);
    else into.push(path);
  }
}
