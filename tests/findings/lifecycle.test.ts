import { describe, expect, test } from "vitest";
import { type Act, type Action, interleave, SCENES, type Scene } from "./lifecycle/interleave.ts";

/** How many moments are tried at once: each has a world of its own. */
const AT_ONCE = 40;
/** `npm run campaign:interleavings` also acts a second time, up to so many turns of the queue later. */
const furthest = Number(process.env["TOOLKEEP_RUNS"] ?? 0);
/** `npm run check:long` and campaigns act at every await, otherwise at some: other ones for each action and scene. */
const EVERY = furthest > 0 || process.env["TOOLKEEP_LONG"] !== undefined ? 1 : 5;
let tried = 0;

describe("cancel, close, answer and kill at every await of an asynchronous journal", () => {
  for (const [name, scene] of Object.entries(SCENES)) {
    test(`[reading 1.1, 1.2, 1.6] ${name}: no tool starts after it was stopped, nothing is written after the close, nothing runs or counts twice`, async () => {
      const actions: readonly Action[] = ["cancel", "signal", "close", "answer", "kill"];
      const sensible = actions.filter((action) => isSensible(action, scene));
      for (const action of sensible) await atEveryMoment(scene, (after) => [{ action, after }]);
      for (let later = 0; later < furthest; later += 1) {
        for (const [first, action] of pairsOf(sensible))
          await atEveryMoment(scene, (after) => [
            { action: first, after },
            { action, after: later },
          ]);
      }
    });
  }

  for (const [name, scene] of Object.entries(SCENES)) {
    if (scene.request === undefined) continue;
    test(`[reading 1.6, 1.7] ${name}: an answer that was accepted is not lost, whatever comes after it`, async () => {
      for (const action of ["answer", "cancel", "close", "kill"] as const)
        await atEveryMoment(scene, (after) => [
          { action: "answer", after: "asked" },
          { action, after },
        ]);
    });
  }
});

/** Tries the acts at one moment after the other, until the scene is through before its moment comes. */
async function atEveryMoment(scene: Scene, acts: (after: number) => readonly Act[]): Promise<void> {
  tried += 1;
  for (let from = tried % EVERY, isOver = false; !isOver; from += AT_ONCE * EVERY) {
    const moments = Array.from({ length: AT_ONCE }, (_, index) => from + index * EVERY);
    const ran = await Promise.all(moments.map((after) => interleave(scene, acts(after))));
    isOver = ran.some((one) => one.isOver);
    const found = ran.flatMap(({ violations }, index) =>
      violations.length === 0 ? [] : [{ acts: acts(moments[index] ?? 0), violations }],
    );
    expect(found.slice(0, 1)).toEqual([]);
  }
}

function pairsOf(actions: readonly Action[]): readonly (readonly [Action, Action])[] {
  return actions
    .filter((action) => action !== "kill")
    .flatMap((first) => actions.map((second) => [first, second] as const));
}

/** A signal takes the way of `cancel`: outside of a campaign it is tried where turns differ. */
function isSensible(action: Action, { request, isBatch }: Scene): boolean {
  if (action === "answer") return request !== undefined;
  return action !== "signal" || furthest > 0 || request === undefined || isBatch === true;
}
