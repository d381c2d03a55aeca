import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { applyHunks } from "../../packages/tools/src/patches/apply-hunks.ts";
import { parsePatch } from "../../packages/tools/src/patches/parse-patch.ts";
import { plainResult } from "./plain-reference.ts";
import { envelopes, type RandomPatch, unifiedPatches } from "./random-patches.ts";

/** `npm run campaign:patches` applies 25,000 of each form. */
const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 150);
const folder = mkdtempSync(join(tmpdir(), "toolkeep-patches-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The text after a patch; `undefined` if it does not fit. */
type Applier = (random: RandomPatch) => string | undefined;

const ours: Applier = ({ file, patch }) => {
  const [first] = parsePatch(patch);
  if (first === undefined || first.kind !== "update") throw new Error("The patch updates no file.");
  try {
    return applyHunks(first.path, file, first.hunks);
  } catch (error) {
    if (ToolFailure.isInstance(error) && error.code === "conflict") return undefined;
    throw error;
  }
};

function byGit({ file, patch }: RandomPatch): string | undefined {
  writeFileSync(join(folder, "f"), file);
  const { status } = spawnSync("git", ["apply", "-"], { cwd: folder, input: patch });
  return status === 0 ? readFileSync(join(folder, "f"), "utf8") : undefined;
}

const outcomes = { fits: 0, misfits: 0 };

/** What git applies, we apply with the same result, down to the last byte. */
function likeGit(apply: Applier) {
  return fc.property(unifiedPatches, (random) => {
    const wanted = byGit(random);
    outcomes[wanted === undefined ? "misfits" : "fits"] += 1;
    if (wanted !== undefined) expect(apply(random)).toBe(wanted);
    else apply(random);
  });
}

/** The lines are those of the definition, and the file keeps its line endings. */
function likeDefinition(apply: Applier) {
  return fc.property(envelopes, (random) => {
    const long = random.file.includes("\r\n");
    const plain = random.file.replaceAll("\r\n", "\n");
    const isUnended = plain !== "" && !plain.endsWith("\n");
    const lines = plain === "" ? [] : plain.replace(/\n$/, "").split("\n");
    const wanted = plainResult(lines, random.hunks)?.join("\n");
    outcomes[wanted === undefined ? "misfits" : "fits"] += 1;
    const result = apply(random);
    expect(result === undefined).toBe(wanted === undefined);
    if (result === undefined || wanted === undefined) return;
    const ended = wanted === "" && !result.endsWith("\n") ? "" : `${wanted}${isUnended ? "" : "\n"}`;
    expect(result).toBe(long ? ended.replaceAll("\n", "\r\n") : ended);
  });
}

test(`a unified diff leaves what git apply leaves (${RUNS} patches)`, () => {
  Object.assign(outcomes, { fits: 0, misfits: 0 });
  fc.assert(likeGit(ours), { numRuns: RUNS });
  expect(Math.min(outcomes.fits, outcomes.misfits)).toBeGreaterThan(RUNS / 20);
});

test(`a patch without line numbers leaves what its definition says (${RUNS} patches)`, () => {
  Object.assign(outcomes, { fits: 0, misfits: 0 });
  fc.assert(likeDefinition(ours), { numRuns: RUNS });
  expect(Math.min(outcomes.fits, outcomes.misfits)).toBeGreaterThan(RUNS / 20);
});

test.for<[string, typeof likeGit, Applier]>([
  [
    "goes to another place",
    likeGit,
    ({ file, patch }) => ours({ file, patch: patch.replaceAll(/\+\d+/g, "+9") }),
  ],
  ["loses the end of a file", likeGit, (random) => ours(random)?.replace(/\n?$/, "\n")],
  [
    "passes over anchors",
    likeDefinition,
    ({ file, patch }) => ours({ file, patch: patch.replaceAll(/^@@ .*$/gm, "@@") }),
  ],
  [
    "passes over the end of a file",
    likeDefinition,
    ({ file, patch }) => ours({ file, patch: patch.replaceAll("*** End of File\n", "") }),
  ],
  ["writes its own line endings", likeDefinition, (random) => ours(random)?.replaceAll("\r\n", "\n")],
])("the comparison notices an applier that %s", ([, property, wrong]) => {
  expect(fc.check(property(wrong), { numRuns: 2_000, endOnFailure: true }).failed).toBe(true);
});
