import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { ToolFailure, type Walls } from "@toolkeep/core";
import { isBeneath, isWithin } from "./beneath.ts";
import { configuredFinds } from "./configured-finds.ts";
import { type Find, linkIdentity } from "./find.ts";
import { type Folder, type Looked, look } from "./folder-look.ts";
import { recordFinds } from "./git-records.ts";
import { withLiveSockets } from "./live-sockets.ts";

/** Folders that are looked into, all together, before nobody can say any more what is in them. */
const MOST_FOLDERS = 100_000;
const SLICE_MS = 2;

export interface SurveyOptions {
  /** All of them where it is left out. */
  readonly mostFolders?: number;
  /** Where commands may write; the places themselves where it is left out. */
  readonly write?: readonly string[];
  /** Whether what was found is obeyed, so that what it says counts; everything where it is left out. */
  readonly isObeyed?: (find: Find) => boolean;
  /** Tries to open a folder that could not be looked into; says whether it is worth another look. */
  readonly open?: (folder: Find) => boolean;
  /** Told what was found by its name and place, before settings are followed to more. */
  readonly onFound?: (finds: readonly Find[]) => void;
}

/**
 * Looks beneath folders for protected names and for secrets, without following links. What cannot be
 * looked into is found itself.
 * @throws ToolFailure `unavailable` where there are more than `mostFolders`, and for nothing else.
 */
export async function survey(
  roots: readonly string[],
  options: SurveyOptions = {},
): Promise<readonly Find[]> {
  const { mostFolders = Number.POSITIVE_INFINITY, write = roots, isObeyed = () => true } = options;
  const finds: Find[] = [];
  const records = new Set<string>();
  const waiting = roots.map((path): Looked => ({ path, place: "plain" }));
  let seen = 0;
  let until = performance.now() + SLICE_MS;
  for (let looked = waiting.pop(); looked !== undefined; looked = waiting.pop()) {
    seen += 1;
    if (seen > mostFolders) throw tooMany(roots, mostFolders);
    let folder = look(looked);
    if (folder.fault !== undefined) folder = await lookAgain(looked, folder, options);
    for (const find of folder.finds) finds.push(find);
    for (const next of folder.next) waiting.push(next);
    for (const record of folder.records) records.add(record);
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  const known = finds.map((find) => withIdentity(find, write));
  for (const record of records) for (const find of recordFinds(record)) known.push(find);
  options.onFound?.(known);
  const configured = configuredFinds(known, { write, isObeyed });
  return [...known, ...configured.map((find) => withIdentity(find, write))];
}

function withIdentity(find: Find, write: readonly string[]): Find {
  return find.type === "link" ? { ...find, identity: linkIdentity(find.path, write) } : find;
}

/**
 * What there is before a command runs.
 * @throws ToolFailure `unavailable` where there is too much, or a place itself cannot be looked into.
 */
export async function surveyWalls(walls: Walls, mostFolders = MOST_FOLDERS): Promise<readonly Find[]> {
  const places = surveyedPlaces(walls);
  const finds = await survey(places, { mostFolders, write: walls.write });
  const closed = finds.find(({ kind, path }) => kind === "unseen" && places.includes(path));
  if (closed === undefined) return withLiveSockets(finds, places);
  throw new ToolFailure(
    "unavailable",
    `Nobody can look for protected names in ${closed.path}: it cannot be listed, or has a folder whose name is not text.`,
    { hint: "Give yourself the right to read and enter it (chmod u+rx), and rename such folders." },
  );
}

/**
 * Where to look before a command: not among the programs of the system, which are open to everybody. A workspace may
 * lie there all the same, as `/usr/src/app` does in many containers.
 */
export function surveyedPlaces({ read, write }: Pick<Walls, "read" | "write">): readonly string[] {
  const ofSystem = (path: string) =>
    isWithin(path, "/usr") && !isWithin(path, "/usr/src") && !write.includes(path);
  const paths = [...new Set([...read, ...write])].filter((path) => !ofSystem(path));
  return paths.filter((path) => !paths.some((other) => isBeneath(path, other)));
}

const BUSY: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"]);
const PAUSE_MS = 20;
const MOST_PAUSES = 100;
/** Another command moves it, or leads its path elsewhere by a link. */
const MOVED = "moved";
const MOST_MOVES = 5;

async function lookAgain(looked: Looked, first: Folder, { open }: SurveyOptions): Promise<Folder> {
  let folder = first;
  for (let pauses = 0; pauses < mostPauses(folder.fault); pauses += 1) {
    await wait(PAUSE_MS);
    folder = look(looked);
  }
  const [closed] = folder.finds;
  if (folder.fault === undefined || closed === undefined || open === undefined) return folder;
  return open(closed) ? look(looked) : folder;
}

function mostPauses(fault: string | undefined): number {
  if (fault === MOVED) return MOST_MOVES;
  return BUSY.has(fault ?? "") ? MOST_PAUSES : 0;
}

function tooMany(roots: readonly string[], mostFolders: number): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${mostFolders} folders beneath ${roots.join(", ")}: too many to look for protected names.`,
    { hint: "Give the tool a smaller folder, or raise `mostFolders` of the sandbox." },
  );
}
