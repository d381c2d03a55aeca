import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { errorText, isBeneath, isWithin, unlessThrown } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { joinedFailure } from "../git/git-left.ts";
import type { OpenMount } from "../mounts/open-mounts.ts";
import { openUp } from "../mounts/open-up.ts";
import type { Find } from "../scan/find.ts";
import { scan } from "../scan/scan.ts";
import { isMadeRepository } from "./made-repositories.ts";
import { type KeptThing, keptThings } from "./put-back.ts";
import { type QuarantinedThing, quarantine, quarantineFolder } from "./quarantine.ts";

/** How protected names are looked after in the folders that a command may change. */
export interface ProtectionOptions {
  /** The most folders that are scanned before a command; if there are more, no command runs. */
  readonly mostFolders?: number;
  /** Where things go that a command created under a protected name. Absolute. Default: in the user's state directory. */
  readonly quarantine?: string;
  /** Called with everything that was moved away. */
  readonly onQuarantine?: (things: readonly QuarantinedThing[]) => void;
}

export interface ProtectedWatch {
  readonly profile: SandboxProfile;
  /** What was found before the command ran. */
  readonly before: readonly Find[];
  readonly protection: ProtectionOptions;
  /** What the command has open, since its sandbox was planned. Forgotten when its end was looked after. */
  readonly openMount: OpenMount;
  /** What git could not change, or will change later, asked once the rest was looked after. */
  left?(): Promise<ToolFailure | undefined>;
}

/**
 * What exists can be mounted read-only; what does not exist yet cannot, without leaving something behind. So whatever a
 * command created under a protected name is moved away once the command is over: none of its processes runs by then.
 * Returns the function to call at that time.
 * @throws ToolFailure `out_of_scope`, from the returned function, if there was something to move away.
 */
export function watchProtected(watch: ProtectedWatch): () => Promise<void> {
  const { profile, before, openMount } = watch;
  const familiar = before.filter((find) => !leftBehind.has(knownBy(find)));
  const known = new Set(familiar.map(knownBy));
  const named = profile.guarded.filter((path) => !isThere(path));
  const kept = keptThings(familiar, profile.write);
  return async () => {
    openMount.end();
    try {
      await lookAfter({ ...watch, known, named, kept });
    } finally {
      openMount.forget();
    }
  };
}

interface Ending extends ProtectedWatch {
  /** What was there before, by its identity. */
  readonly known: ReadonlySet<string>;
  /** Paths that are guarded by name and were not there. */
  readonly named: readonly string[];
  readonly kept: readonly KeptThing[];
}

async function lookAfter({ known, named, kept, ...watch }: Ending): Promise<void> {
  const { profile, protection, openMount } = watch;
  const { finds: after, error } = await foundAfter(profile.write, (find) => known.has(knownBy(find)));
  const again = new Set(kept.filter((thing) => isNew(thing, after, known)).map(({ path }) => path));
  const made = after.filter(
    (find) => WATCHED.has(find.kind) && !known.has(knownBy(find)) && !again.has(find.path),
  );
  const there = new Set(watch.before.map(({ path }) => path));
  const strange = after.map(({ path }) => path).filter((path) => !there.has(path));
  const { denied, error: other } = await deniedAfter(profile, strange);
  const suspects = [...made.map(({ path }) => path), ...named.filter(isThere), ...denied];
  const open = [...profile.write, ...openMount.openMeanwhile()];
  const intruding = topmost(suspects.flatMap((path) => intruders(path, open)));
  const repositories = intruding.filter((path) => isMadeRepository(path, profile));
  // A clone was asked for with the files that it brings, but for what policy denies.
  const trees = profile.makesRepository === true ? repositories.map((path) => dirname(path)) : [];
  const isDenied = new Set<string>(denied);
  const isBrought = (path: string) => !isDenied.has(path) && trees.some((tree) => isBeneath(path, tree));
  const things = takeAway(
    intruding.filter((path) => !repositories.includes(path) && !isBrought(path)),
    watch,
  );
  remember(made, things);
  const back = await putBack(kept, things);
  if (things.length > 0) protection.onQuarantine?.(things.filter(isMoved));
  const taken = things.length === 0 ? undefined : tookAway(things, back, denied);
  const failure = joinedFailure(taken, await watch.left?.());
  if (error !== undefined || other !== undefined) throw couldNotLook(error ?? other, failure);
  if (failure !== undefined) throw failure;
}

async function deniedAfter(profile: SandboxProfile, strange: readonly string[]) {
  try {
    return { denied: (await profile.createdDespiteDeny?.(strange)) ?? [] };
  } catch (thrown) {
    return { denied: [], error: thrown };
  }
}

/**
 * Another file than before, with the same bytes and rights: another command of this process put it back while
 * this one ran. No command that could still write to it has ended without a look at it.
 */
function isNew(thing: KeptThing, after: readonly Find[], known: ReadonlySet<string>): boolean {
  const find = after.find(({ path }) => path === thing.path);
  return find !== undefined && find.kind !== "order" && !known.has(knownBy(find)) && thing.isThereAgain();
}

const WATCHED: ReadonlySet<Find["kind"]> = new Set([
  ...(["repository", "head", "protected", "auto-executed secret"] as const),
  ...(["order", "unseen"] as const),
]);

/**
 * What is mounted cannot be moved by a command; a link or an order can, so it is recognized at its path alone. A
 * repository that can no longer be read is not what was known before.
 */
function knownBy({ path, kind, type, identity }: Find): string {
  return type === "link" || kind === "order" ? `${kind} ${identity} ${path}` : `${kind} ${identity}`;
}

/** What could not be moved stays unknown to all later commands, so that each of them reports it again. */
const leftBehind = new Set<string>();

function remember(made: readonly Find[], things: readonly (QuarantinedThing | UnmovedThing)[]): void {
  const stuck = new Set(things.filter((thing) => !isMoved(thing)).map(({ from }) => from));
  for (const find of made) {
    if (stuck.has(find.path)) leftBehind.add(knownBy(find));
    else leftBehind.delete(knownBy(find));
  }
}

/** A path that was granted by name is no intruder, and neither is the folder that was created for it. */
function intruders(path: string, open: readonly string[]): readonly string[] {
  if (open.includes(path)) return [];
  try {
    const isForOpen = open.some((one) => isBeneath(one, path)) && lstatSync(path).isDirectory();
    return isForOpen ? readdirSync(path).flatMap((name) => intruders(join(path, name), open)) : [path];
  } catch {
    return [path];
  }
}

function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let at = dirname(path); at !== "/"; at = dirname(at)) if (all.has(at)) return false;
    return true;
  });
}

interface UnmovedThing {
  readonly from: string;
  readonly error: string;
}

function takeAway(
  paths: readonly string[],
  { protection: { quarantine: folder = quarantineFolder() } }: ProtectedWatch,
): readonly (QuarantinedThing | UnmovedThing)[] {
  const things: (QuarantinedThing | UnmovedThing)[] = [];
  for (const path of paths) {
    try {
      things.push(quarantine(path, folder));
    } catch (thrown) {
      const error = (thrown as NodeJS.ErrnoException).code ?? "unknown error";
      if (error !== "ENOENT") things.push({ from: path, error });
    }
  }
  return things;
}

/** A link that is gone is put back as it was, and so is a file that was taken away; a file alone may be gone by intent. */
async function putBack(
  kept: readonly KeptThing[],
  things: readonly (QuarantinedThing | UnmovedThing)[],
): Promise<ReadonlySet<string>> {
  const taken = new Set(things.map(({ from }) => from));
  const back = new Set<string>();
  for (const thing of kept) {
    if (isThere(thing.path) || (thing.type === "file" && !taken.has(thing.path))) continue;
    if (await thing.putBack()) back.add(thing.path);
  }
  return back;
}

function isMoved(thing: QuarantinedThing | UnmovedThing): thing is QuarantinedThing {
  return "to" in thing;
}

function isThere(path: string): boolean {
  return unlessThrown(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? true;
}

function couldNotLook(error: unknown, found: ToolFailure | undefined): ToolFailure {
  const why = errorText(error);
  const before = found === undefined ? "The command ran." : found.message;
  return new ToolFailure(
    "out_of_scope",
    `${before} Not everything that it left behind could be looked at: ${why}`,
    { hint: "Look at what the command made before running anything else in its folders.", cause: error },
  );
}

const MOST_NAMED = 50;

function tookAway(
  things: readonly (QuarantinedThing | UnmovedThing)[],
  back: ReadonlySet<string>,
  denied: readonly string[],
): ToolFailure {
  const isDenied = ({ from }: { readonly from: string }) => denied.some((path) => isWithin(from, path));
  const list = things.slice(0, MOST_NAMED).map((thing) => {
    const now = isMoved(thing) ? `now ${thing.to}` : `still there: ${thing.error}`;
    const again = isMoved(thing) && back.has(thing.from) ? "; what was there before is back" : "";
    return `${thing.from} (${isDenied(thing) ? "denied by policy" : "auto-executed configuration"}; ${now}${again})`;
  });
  const more = things.length > MOST_NAMED ? ` and ${things.length - MOST_NAMED} more` : "";
  const hints = [
    ...(things.some(isDenied)
      ? ["For what policy denies, use another name, or ask the user to change the policy rule."]
      : []),
    ...(things.every(isDenied)
      ? []
      : [
          "To have auto-executed configuration, write it with the write tool, which asks for approval; commands cannot make it.",
        ]),
  ];
  return new ToolFailure(
    "out_of_scope",
    `The command ran and made what is protected: ${list.join(", ")}${more}.`,
    { hint: hints.join(" ") },
  );
}

/** What is there once a command is over. */
interface FoundAfter {
  readonly finds: readonly Find[];
  /** Why there may be more than that. */
  readonly error?: unknown;
}

/**
 * Scans the folders that a command could write to, and the secret ones that it created: those that were there before
 * were closed to it. What was found is reported even if the scan itself fails later.
 */
async function foundAfter(write: readonly string[], isKnown: (find: Find) => boolean): Promise<FoundAfter> {
  const finds: Find[] = [];
  try {
    for (let directories = write; directories.length > 0; ) {
      const found = await foundIn(directories, { write, isKnown, finds });
      directories = found
        .filter((find) => find.kind === "secret" && find.type === "folder" && !isKnown(find))
        .map(({ path }) => path);
    }
    return { finds };
  } catch (error) {
    return { finds, error: error };
  }
}

interface Looking {
  readonly write: readonly string[];
  readonly isKnown: (find: Find) => boolean;
  /** What was found is added here, whether or not the look comes to its end. */
  readonly finds: Find[];
}

async function foundIn(
  directories: readonly string[],
  { write, isKnown, finds }: Looking,
): Promise<readonly Find[]> {
  let found: readonly Find[] = [];
  try {
    // However many folders there are by now: what is not looked at would stay.
    found = await scan(directories, {
      write,
      isAutoExecuted: isKnown,
      open: (folder) => !isKnown(folder) && openUp(folder.path),
      onFound: (some) => {
        found = some;
      },
    });
    return found;
  } finally {
    for (const find of found) finds.push(find);
  }
}
