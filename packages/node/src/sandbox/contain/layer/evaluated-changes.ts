import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isBeneath, isProtectedName, isSecretFile, isWithin } from "@toolkeep/core/internal";
import { errorCode } from "../../../files/file-failure.ts";
import { gitStates } from "../../../git/git-states.ts";
import { AUTO_EXECUTED_SECRET } from "../../scan/auto-executed-secret.ts";
import { quoted } from "../wants/want-lines.ts";
import { type Change, type ChangeSet, hasSameBytes } from "./change-set.ts";
import { gitObjection, inRepository } from "./git-changes.ts";
import { maskObjection } from "./masked-files.ts";
import type { IsPacked } from "./packed-objects.ts";
import { isRemade } from "./remade.ts";
import { isFolder, keyAt, MEANWHILE, statsAt } from "./stamp.ts";

export interface HeldChange {
  readonly path: string;
  readonly why: string;
}

interface Evaluating {
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

/** Decides about a change set, by what it did, whatever the command said: what of it comes to the project, and what waits. */
export async function evaluatedChanges(set: ChangeSet, evaluating: Evaluating) {
  const { changes, left } = set;
  const names = new Map<string, string>();
  const hold = (path: string, why: string | undefined) => {
    if (why !== undefined && !names.has(path)) names.set(path, why);
  };
  for (const { path, why } of left) hold(path, why);
  for (const { path, isContested } of changes) hold(path, isContested ? MEANWHILE : undefined);
  const packed = new Map<string, IsPacked>();
  for (const change of changes)
    for (const path of [change.path, ...(change.inside ?? [])])
      hold(path, objection(path, change, { ...evaluating, packed }));
  for (const [path, why] of await policyObjections(set, evaluating)) hold(path, why);
  const isMoved = movedTo(changes, evaluating);
  for (const { path, why } of losses(changes, evaluating.below, isMoved)) hold(path, why);
  stayWhole(changes, names);
  for (const { path, why } of heldMoves(changes, names, evaluating)) hold(path, why);
  const repositories = heldRepositories(changes, names);
  const kept = changes.filter(({ path }) => {
    const isApart = repositories.has(inRepository(path)?.store ?? "");
    hold(path, isApart ? "belongs to a change of git that is held" : undefined);
    return !names.has(path);
  });
  return { kept, held: [...names].map(([path, why]): HeldChange => ({ path, why })) };
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

/** Where what was moved is held in its new place, it stays in the old one. */
function heldMoves(
  changes: readonly Change[],
  names: ReadonlyMap<string, string>,
  { below, upper }: Pick<Evaluating, "below" | "upper">,
): readonly HeldChange[] {
  const held = changes.filter(({ path, does }) => does === "put" && names.has(path));
  const isMoved = movedTo(held, { below, upper });
  const why = "what was moved from there is held in its new place";
  return changes
    .filter((one) => takesAway(one, below) && !names.has(one.path) && goneFiles(one, below).some(isMoved))
    .map(({ path }) => ({ path, why }));
}

/** Whether files go: what is put in the place of a folder takes all that is in it. */
function takesAway({ path, does, type }: Change, below: string): boolean {
  return does === "remove" || (does === "put" && type !== "folder" && isFolder(join(below, path)));
}

function goneFiles({ path }: Change, below: string): readonly string[] {
  if (!isFolder(join(below, path))) return [path];
  const found: string[] = [];
  filesIn(below, path, found);
  return found;
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
  { below, upper, deciding, masked, packed }: Evaluating & { readonly packed: Map<string, IsPacked> },
): string | undefined {
  const unseen = maskObjection(path, change, masked);
  if (unseen !== undefined) return unseen;
  if (inRepository(path) !== undefined) return gitObjection(path, change, { below, upper, packed });
  if (takesAway(change, below) && path === change.path && hasRepository(path, below))
    return "it has a repository of its own";
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
  return asked.map(({ path }, at) => [path, said[at]] as const);
}

/** The own one of a folder, or one further below; not those that tools fetch and make again. */
function hasRepository(path: string, below: string): boolean {
  if (isRemade(path, below) || !isFolder(join(below, path))) return false;
  const entries = entriesOf(join(below, path));
  return (
    entries.some(({ name }) => name === ".git") ||
    entries.some((one) => one.isDirectory() && hasRepository(`${path}/${one.name}`, below))
  );
}

/** Packages: what is in them is run as it is. */
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages)\//;

const FEWEST_OF_MOST = 5;
const MOST_LOST_FILES = 20;
const MOST_REPLACED_FILES = 200;
const MOST_LOST_BYTES = 64 * 2 ** 20;
const MOST_LOOKED_AT = 20_000;

/**
 * Removing most of a project is no ordinary work, whether or not git has it; nor is to lose more than a little that git
 * does not have.
 */
function losses(changes: readonly Change[], below: string, isMoved: (path: string) => boolean) {
  const going = changes.filter(({ path, was }) => was !== undefined && !isRemade(path, below));
  const [taken, put] = [true, false].map((wanted) => going.filter((one) => takesAway(one, below) === wanted));
  const outside = (list: readonly Change[] = []) =>
    list.filter(({ path }) => inRepository(path) === undefined);
  const removed = outside(taken)
    .flatMap((one) => goneFiles(one, below))
    .filter((path) => !isMoved(path));
  const replaced = outside(put)
    .filter(({ does, path }) => does === "put" && !isMoved(path))
    .map(({ path }) => path);
  const heldAs = (why: string, list: readonly Change[] = []): readonly HeldChange[] =>
    list.map(({ path }) => ({ path, why }));
  const all: string[] = [];
  if (removed.length >= FEWEST_OF_MOST) filesIn(below, "", all);
  const held =
    removed.length >= FEWEST_OF_MOST && 2 * removed.length >= all.length
      ? heldAs(`one of ${removed.length} removed files of the ${all.length} of the project`, taken)
      : [];
  const states = gitStates(
    [...removed, ...replaced].slice(0, MOST_LOOKED_AT).map((path) => join(below, path)),
    () => true,
  );
  const isLost = (path: string) => states.get(join(below, path)) !== "recorded";
  const [gone, over] = [removed.filter(isLost), replaced.filter(isLost)];
  const bytes = [...gone, ...over].reduce((sum, path) => sum + (statsAt(join(below, path))?.size ?? 0n), 0n);
  if (gone.length <= MOST_LOST_FILES && over.length <= MOST_REPLACED_FILES && bytes <= MOST_LOST_BYTES)
    return held;
  const why = `one of ${gone.length + over.length} files that would go and that git does not have`;
  return [...held, ...heldAs(why, [...(taken ?? []), ...(put ?? []).filter(({ does }) => does === "put")])];
}

/** Tells which files of the project have another place now, with all that is in them. */
function movedTo(changes: readonly Change[], { below, upper }: Pick<Evaluating, "below" | "upper">) {
  const put = changes.filter(({ does }) => does === "put").flatMap(({ path, inside = [path] }) => inside);
  const places = Map.groupBy(put, (path) => keyAt(join(upper, path)));
  return (path: string) => {
    const key = keyAt(join(below, path));
    if (key === undefined) return false;
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
