import { realpathSync } from "node:fs";
import { readFile, realpath, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { Files } from "@toolkeep/core/ports";
import { describe, expect, test } from "vitest";
import { ripgrep } from "../packages/node/src/files/ripgrep.ts";
import { CANARY } from "./races/hostile-folders.ts";
import { all, withFiles } from "./races/session-files.ts";
import { type SwappedFolder, swappedFolder, whyNoRace } from "./races/swapped-folder.ts";

/** `TOOLKEEP_RUNS=20000` is the campaign. */
const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 800);
const TIMEOUT = 20_000 + RUNS * 20;
const IN_ONE_CALL = 250;
const why = whyNoRace();
const skipped = why === undefined ? "" : ` (skipped: ${why})`;

interface Tally {
  readonly escaped: number;
  readonly passed: number;
  readonly refused: number;
  readonly conflicts: number;
}

/** Tries again and again while the folder is swapped. An attempt says whether what it saw came from outside. */
async function tally(
  tries: number,
  attempt: (files: Files, folder: SwappedFolder) => Promise<boolean>,
): Promise<Tally> {
  await using folder = await swappedFolder();
  const { workspace } = folder;
  const counts = { escaped: 0, passed: 0, refused: 0, conflicts: 0 };
  for (let done = 0; done < tries; done += IN_ONE_CALL) {
    const { failure } = await withFiles({ variables: { workspace: [workspace] } }, async (files) => {
      for (let index = done; index < Math.min(done + IN_ONE_CALL, tries); index += 1) {
        try {
          if (await attempt(files, folder)) counts.escaped += 1;
          else counts.passed += 1;
        } catch (error) {
          if (!ToolFailure.isInstance(error)) throw error;
          counts[error.code === "out_of_scope" ? "refused" : "conflicts"] += 1;
        }
      }
    });
    expect(failure).toBeUndefined();
  }
  return { ...counts, escaped: counts.escaped + folder.changedOutside() };
}

const d = ({ workspace }: SwappedFolder, name: string) => join(workspace, "d", name);
const isFromOutside = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).includes(CANARY);

describe.skipIf(why !== undefined)(
  `while another process swaps a folder with a link that leads out${skipped}`,
  () => {
    const variants: readonly [string, number, Parameters<typeof tally>[1]][] = [
      ["reading", RUNS, async (files, folder) => isFromOutside(await files.read(d(folder, "read")))],
      [
        "reading through a link inside",
        RUNS,
        async (files, { workspace }) => isFromOutside(await files.read(join(workspace, "inner-link"))),
      ],
      [
        "writing",
        RUNS,
        async (files, folder) => {
          await files.write(d(folder, "made/written"), "x");
          return false;
        },
      ],
      [
        "removing",
        RUNS,
        async (files, folder) => {
          await writeFile(folder.inside("remove"), "inside\n");
          await files.remove(d(folder, "remove"));
          return false;
        },
      ],
      [
        "searching",
        Math.ceil(RUNS / 40),
        async (files, { workspace }) => {
          const found = await all(files.search({ root: workspace, pattern: `inside|${CANARY}` }));
          if (found.length === 0) throw nothingSeen();
          return found.some(({ text }) => text.includes(CANARY));
        },
      ],
      [
        "searching for a text",
        Math.ceil(RUNS / 10),
        async (files, { workspace }) => {
          const found = await all(files.search({ root: workspace, pattern: "inside" }));
          const leaked = await all(files.search({ root: workspace, pattern: CANARY }));
          if (leaked.length > 0) return true;
          if (found.length === 0) throw nothingSeen();
          return false;
        },
      ],
      [
        "listing the newest",
        Math.ceil(RUNS / 10),
        async (files, { workspace }) => {
          const found = await all(files.list({ root: workspace, pattern: "**", newestFirst: true }));
          if (!found.some(({ path }) => path.endsWith("/read"))) throw nothingSeen();
          return found.some(({ path }) => path.includes("secret"));
        },
      ],
      [
        "listing",
        Math.ceil(RUNS / 40),
        async (files, { workspace }) => {
          const found = await all(files.list({ root: workspace, pattern: "**" }));
          if (!found.some(({ path }) => path.endsWith("/read"))) throw nothingSeen();
          return found.some(({ path }) => path.includes("secret"));
        },
      ],
    ];

    test.each(variants)("[C67] %s never reaches what lies outside", async (name, tries, attempt) => {
      const counts = await tally(tries, attempt);
      console.log(`${name}: ${JSON.stringify({ tries, ...counts })}`);
      expect(counts.escaped).toBe(0);
      expect(counts.passed).toBeGreaterThan(0);
    });

    /** What everybody writes first: it must lose, or the attack above is none. */
    const naive = {
      async read(folder: SwappedFolder): Promise<boolean> {
        const path = d(folder, "read");
        return isInside(await realpath(path), folder) && (await readFile(path, "utf8")).includes(CANARY);
      },
      async write(folder: SwappedFolder): Promise<boolean> {
        const path = d(folder, "written");
        if (isInside(await realpath(dirname(path)), folder)) await writeFile(path, "x");
        return folder.changedOutside() > 0;
      },
      async remove(folder: SwappedFolder): Promise<boolean> {
        await writeFile(folder.inside("remove"), "inside\n");
        const path = d(folder, "remove");
        if (isInside(await realpath(path), folder)) await unlink(path);
        return folder.changedOutside() > 0;
      },
      async search({ workspace }: SwappedFolder): Promise<boolean> {
        const argv = ["-e", CANARY, "--", workspace];
        return (await all(ripgrep({ argv, abortSignal: AbortSignal.timeout(TIMEOUT) }))).length > 0;
      },
    };

    test.each(Object.entries(naive))(
      "to resolve, look and then %s by name loses the race",
      async (name, attempt) => {
        await using folder = await swappedFolder();
        let tries = 0;
        let hasEscaped = false;
        const deadline = performance.now() + 90_000;
        while (!hasEscaped && performance.now() < deadline) {
          tries += 1;
          hasEscaped = await attempt(folder).catch(() => false);
        }
        console.log(`${name}, by name: escaped after ${tries} tries`);
        expect(hasEscaped).toBe(true);
      },
    );
  },
);

/** An attempt that saw nothing of the folder proves nothing: it does not pass. */
function nothingSeen(): ToolFailure {
  return new ToolFailure("conflict", "The folder was not seen.");
}

function isInside(path: string, { workspace }: SwappedFolder): boolean {
  return path.startsWith(`${realpathSync(workspace)}/`);
}
