import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@toolkeep/core/internal";
import type { Containment } from "@toolkeep/core/ports";
import { withFileLock } from "../../owned-files/with-file-lock.ts";
import { PLAN } from "./commit/notes.ts";
import { closeByCommit, closePast, type HeldWork, recoverPast } from "./commit/past.ts";
import { lockOf } from "./commit/past-commands.ts";
import type { ChangeSet } from "./layer/change-set.ts";
import { evaluatedChanges } from "./layer/evaluated-changes.ts";
import type { Layer, ProjectState } from "./layer/open-layer.ts";

interface EndedCommand {
  readonly profile: { readonly contained: Containment };
  readonly project: string;
  readonly state: ProjectState;
  readonly layer: Layer;
  /** Where settings that decide what is run lead. */
  readonly deciding: readonly string[];
  /** What the command saw as empty files, relative to the project. */
  readonly masked: readonly string[];
}

interface Settling {
  readonly isStopped: boolean;
  /** Why it cannot be told what the command did. */
  readonly failed: string | undefined;
}

/** Decides about changes, commits those that are kept, and writes down what became of all. */
export async function settled(running: EndedCommand, set: ChangeSet, { isStopped, failed }: Settling) {
  const { layer } = running;
  const allHeld = async (why: string) => {
    const held = [...set.changes.map(({ path }) => path), ...set.left].map((path) => ({ path, why }));
    const work = workOf(set, held);
    await closePast(layer.folder, { ...sourceOf(running), kept: [], held, work });
    return { kept: [], held, work };
  };
  const became =
    failed !== undefined
      ? await allHeld(failed)
      : isStopped
        ? await allHeld("the same command tried to reach something that is blocked")
        : await committed(running, set).catch((error: unknown) => {
            // What a commit has begun and could not undo is done when the next command is started.
            if (existsSync(join(layer.folder, PLAN))) throw error;
            return allHeld(JSON.stringify(errorText(error)));
          });
  return { number: layer.number, ...became };
}

/** @throws whatever keeps the changes from being decided about, or committed; nothing of them is in the project then. */
async function committed(running: EndedCommand, set: ChangeSet) {
  const { deciding, layer, masked, profile, project, state } = running;
  const { folder, upper, since } = layer;
  const evaluating = { below: project, upper, deciding, masked, evaluate: profile.contained.evaluate };
  const { kept, held } = await evaluatedChanges(set, evaluating);
  const waits = [
    ...held,
    ...kept.map(({ path }) => ({ path, why: "it was not kept because its process ended" })),
  ];
  const late = await withFileLock(lockOf(state), async () => {
    await recoverPast(state, layer.number);
    const closing = { ...sourceOf(running), kept: [], held: waits, work: workOf(set, waits) };
    return closeByCommit({ project, folder, upper, changes: kept, since }, closing);
  });
  const all = [...held, ...late];
  const waiting = new Set(all.map(({ path }) => path));
  const done = kept.map(({ path }) => path).filter((path) => !waiting.has(path));
  return { kept: done, held: all, work: workOf(set, all) };
}

/** Whose command it was. */
function sourceOf({ profile: { contained } }: EndedCommand) {
  const { line, callId, sessionId } = contained;
  return { line, callId, ...(sessionId === undefined ? {} : { sessionId }) };
}

function workOf({ changes }: ChangeSet, held: readonly { readonly path: string }[]): readonly HeldWork[] {
  const waiting = new Set(held.map(({ path }) => path));
  return changes
    .filter(({ path }) => waiting.has(path))
    .map(({ path, does, type }) => ({ path, does, type }));
}
