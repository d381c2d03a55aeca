import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { defined, errorText, isBeneath, unlessThrown } from "@toolkeep/core/internal";
import type { ContainedOutcome, Containment, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { WORDS } from "../../files/error-words.ts";
import { errorCode } from "../../files/file-failure.ts";
import { withFileLock } from "../../owned-files/with-file-lock.ts";
import { PLAN } from "./commit/notes.ts";
import { closeByCommit, closePast, type HeldWork, recoverPast } from "./commit/past.ts";
import { lockOf } from "./commit/past-commands.ts";
import { type ChangeSet, changeSet, shownNames } from "./layer/change-set.ts";
import { evaluatedChanges, type HeldChange } from "./layer/evaluated-changes.ts";
import { homeWrites } from "./layer/home-writes.ts";
import { isSeenOnly } from "./layer/masked-files.ts";
import {
  builtAt,
  forgetLayer,
  type Layer,
  type LayeredCommand,
  leaveToRun,
  type ProjectState,
} from "./layer/open-layer.ts";
import { isReleased, setAside } from "./layer/settle-layer.ts";
import { type RenamedFolders, refusedInLayer } from "./layer/whole-folders.ts";
import type { OpenRun, Place } from "./place/open-place.ts";
import { seenEffects } from "./seen-effects.ts";
import { installs, isByTheWay, isDangerous, quoted, wantLine, worstFirst } from "./wants/want-lines.ts";

export type CommandEnding = Parameters<NonNullable<SandboxedCommand["done"]>>[0];
export type ContainedProfile = SandboxProfile & { readonly contained: Containment };

/** A contained command, from when its place is open. `isLayered`: it writes to the layer, and not to the project. */
export interface RunningCommand extends LayeredCommand {
  readonly profile: ContainedProfile;
  readonly state: ProjectState;
  readonly place: Place;
  readonly run: OpenRun;
  /** The folder of its processes, as long as one of them runs. */
  readonly ofRun: string;
  readonly renamed: RenamedFolders;
  /** What its layer had from the beginning, relative to the project. */
  readonly copied: ReadonlySet<string>;
}

interface EndedCommand extends RunningCommand {
  /** Where settings that decide what is run lead. */
  readonly deciding: readonly string[];
}

/** Looks at what the command did, decides, and keeps or holds it. @throws ToolFailure if nothing could be kept. */
export async function lookedAfter(running: EndedCommand, end: CommandEnding): Promise<number> {
  const { layer, profile, project, run, isLayered, ofRun } = running;
  const { line, onOutcome } = profile.contained;
  const hasFailed = end?.exitCode !== 0;
  const { wants: all, alive } = await run.end();
  const isNeeded = installs(line, project);
  const wants = worstFirst(hasFailed ? all : all.filter((want) => !isByTheWay(want, isNeeded)));
  if (hasFailed && typeof end?.exitCode === "number") assertBuilt(layer);
  const unmoved = hasFailed && isLayered ? refusedInLayer(running.renamed, end?.output?.head) : [];
  const refused = [...wants.map(wantLine), ...unmoved];
  const pretended = homeWrites(running);
  const told = (became: Pick<ContainedOutcome, "kept" | "held" | "number">, work: readonly HeldWork[]) => {
    const seen = seenEffects({ wants, work, project, pretended, home: profile.environment["HOME"] ?? "/" });
    const isGoingOn = isLayered && alive.length > 0 ? (true as const) : undefined;
    onOutcome({ ...became, refused, pretended, seen, ...defined({ isGoingOn }) });
    return became.kept.length;
  };
  const looked = isLayered ? await changesOf(running, alive.length > 0) : NOTHING;
  if (alive.length > 0) leaveToRun(layer, ofRun);
  const { set, failed, isOver } = looked;
  const isStopped = wants.some(isDangerous) || (refused.length > 0 && hasFailed);
  if ((set.changes.length === 0 && failed === undefined) || (hasFailed && isStopped)) {
    if (isOver || alive.length > 0) forgetLayer(layer);
    return told({ kept: [], held: [] }, []);
  }
  const { work, ...became } = await settled(running, set, failed ?? (isStopped ? REACHED : undefined));
  return told({ number: layer.number, ...became }, work);
}
const NOTHING = { set: { changes: [], left: [] }, isOver: true, failed: undefined };

/** The command did not run if nothing says how it ended. */
function assertBuilt(layer: Layer): void {
  const built = readFileSync(builtAt(layer), "utf8");
  if (built.includes('"exit-code"')) return;
  forgetLayer(layer);
  const said = built.startsWith("{") || built === "" ? "" : ` (no layer could be mounted: ${built.trim()})`;
  throw new ToolFailure("unavailable", `The command did not run: its sandbox could not be built${said}.`);
}

/** What the command left different. Where that cannot be told, its layer stays as it is, and why. */
async function changesOf(running: EndedCommand, isAlive: boolean) {
  const { layer, place, project, copied, masked } = running;
  const folders = { ...layer, below: project, copied };
  let isOver = false;
  try {
    const merged = `${place.root}${layer.merged}`;
    // The rights of the project's own folder are none of its changes: the command may have taken them from itself.
    if (unlessThrown(() => readdirSync(layer.upper)) === undefined) chmodSync(merged, 0o700);
    const shown = shownNames({ ...folders, merged });
    isOver = !isAlive && (readdirSync(layer.upper).length === 0 || (await isReleased(running)));
    if (!isOver) await setAside(running);
    const { changes, left } = changeSet(folders, shown);
    const set: ChangeSet = { changes: changes.filter((one) => !isSeenOnly(one, masked)), left };
    return { set, isOver, failed: undefined };
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw error;
    const failed = whyFailed(error, running);
    const names = unlessThrown(() => readdirSync(layer.upper)) ?? [];
    const left = names.map((path) => ({ path, why: failed }));
    return { set: { changes: [], left }, isOver: false, failed };
  }
}

const REACHED = "the same command tried to reach something that is blocked";

/** Decides about changes, commits those that are kept, and writes down what became of all. `why`: none is kept. */
async function settled(running: EndedCommand, set: ChangeSet, why: string | undefined) {
  if (why !== undefined) return allHeld(running, set, why);
  try {
    return await committed(running, set);
  } catch (error) {
    // What a commit has begun and could not undo is done when the next command is started.
    if (existsSync(join(running.layer.folder, PLAN))) throw error;
    return allHeld(running, set, whyFailed(error, running));
  }
}

/** In words for people, with the paths of the project. */
function whyFailed(error: unknown, { layer, project }: EndedCommand): string {
  const says = WORDS[errorCode(error) ?? ""]?.says;
  const at = error instanceof Error && "path" in error ? String(error.path) : "";
  const [folder] = [layer.upper, project].filter((one) => isBeneath(at, one));
  if (says !== undefined)
    return folder === undefined ? `a file ${says}` : `${quoted(relative(folder, at))} ${says}`;
  return JSON.stringify(errorText(error).replaceAll(`${layer.upper}/`, "").replaceAll(`${project}/`, ""));
}

async function allHeld(running: EndedCommand, set: ChangeSet, why: string) {
  const paths = new Set([...set.changes, ...set.left].map(({ path }) => path));
  const holding = holdingOf(
    set,
    [...paths].map((path) => ({ path, why })),
  );
  await closePast(running.layer.folder, { ...sourceOf(running), ...holding });
  return holding;
}

/** @throws whatever keeps the changes from being decided about, or committed; nothing of them is in the project then. */
async function committed(running: EndedCommand, set: ChangeSet) {
  const { deciding, layer, masked, profile, project, state } = running;
  const { folder, upper, since } = layer;
  const { evaluate } = profile.contained;
  const { kept, held } = await evaluatedChanges(set, { below: project, upper, deciding, masked, evaluate });
  const ended = kept.map(({ path }) => ({ path, why: "it was not kept because its process ended" }));
  const late = await withFileLock(lockOf(state), async () => {
    await recoverPast(state, layer.number);
    const closing = { ...sourceOf(running), ...holdingOf(set, [...held, ...ended]) };
    return closeByCommit({ project, folder, upper, changes: kept, since }, closing);
  });
  const holding = holdingOf(set, [...held, ...late]);
  const waiting = new Set(late.map(({ path }) => path));
  return { ...holding, kept: kept.map(({ path }) => path).filter((path) => !waiting.has(path)) };
}

function sourceOf({ profile: { contained } }: EndedCommand) {
  const { line, callId, sessionId } = contained;
  return { line, callId, ...defined({ sessionId }) };
}

/** With these changes held, and none kept. */
function holdingOf({ changes }: ChangeSet, held: readonly HeldChange[]) {
  const waiting = new Set(held.map(({ path }) => path));
  const work = changes.filter(({ path }) => waiting.has(path));
  const kept: readonly string[] = [];
  return { kept, held, work: work.map(({ path, does, type }): HeldWork => ({ path, does, type })) };
}
