import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config/read-config.ts";
import { openToolFolders } from "../tool-folders/open-tool-folders.ts";
import { createProjectTrust, type TrustAnswer } from "./project-trust.ts";
import { trustStore } from "./trust-store.ts";

/** The file system records when a file was last read, unless it is mounted otherwise. */
const notesReads = await readsAreNoted();
const LONG_AGO = new Date("2020-01-01T00:00:00Z");

const FILES = {
  ".toolkeep/config.jsonc": '{ "denied": ["bash"] }',
  ".toolkeep/config.local.jsonc": "{}",
  ".toolkeep/tools/mark.ts": "(globalThis as any).markedBeforeTrust = true; throw new Error('marked');",
  ".mcp.json": "{}",
  "policy.yaml": "version: 1",
} as const;
const FOLDERS = ["", ".toolkeep", ".toolkeep/tools"];

let top: string;
let project: string;

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-before-")));
  project = join(top, "project");
  await mkdir(join(project, ".git"), { recursive: true });
  await mkdir(join(project, ".toolkeep", "tools"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(project, name), text);
});

beforeEach(async () => {
  Reflect.deleteProperty(globalThis, "markedBeforeTrust");
  for (const name of [...Object.keys(FILES), ...FOLDERS])
    await utimes(join(project, name), LONG_AGO, LONG_AGO);
});

afterAll(() => rm(top, { recursive: true, force: true }));

/** Which files and folders of the project have been read since the test began. */
async function readSoFar(): Promise<readonly string[]> {
  const names = [...FOLDERS, ...Object.keys(FILES)];
  const times = await Promise.all(names.map(async (name) => (await stat(join(project, name))).atimeMs));
  return names.filter((_, at) => times[at] !== LONG_AGO.getTime());
}

/** Reads the configuration and enters the project, as a program would; `whenAsked` is what had been read by then. */
async function open(answer: TrustAnswer | undefined) {
  let whenAsked: readonly string[] | undefined;
  const decide = async (): Promise<TrustAnswer> => {
    whenAsked ??= await readSoFar();
    return answer ?? "decline";
  };
  const store = trustStore(join(top, `trust-${answer}.json`));
  const trust = createProjectTrust({ store, ...(answer === undefined ? {} : { decide }) });
  const home = join(top, "home");
  const managed = join(top, "managed.jsonc");
  const reading = await readConfig({ cwd: project, home, env: {}, managed, trust });
  const source = openToolFolders({ registry: createRegistry(), trust, userFolder: false });
  const report = await source.enter(project);
  return { reading, report, whenAsked };
}

describe.skipIf(!notesReads)(
  "what is read of a project (needs a file system that notes when files are read)",
  () => {
    test.each(["decline", undefined] as const)("[C27] is nothing when the answer is %s", async (answer) => {
      const { reading, report, whenAsked } = await open(answer);
      expect(whenAsked ?? []).toEqual([]);
      expect(await readSoFar()).toEqual([]);
      expect(reading.config?.denied).toEqual([]);
      expect(reading.untrusted).toBeTypeOf("string");
      expect(report.errors).toEqual([]);
    });

    test("[C27] is nothing before the answer, and its configuration and tools after a yes", async () => {
      const { reading, report, whenAsked } = await open("once");
      expect(whenAsked).toEqual([]);
      expect(await readSoFar()).toEqual(
        expect.arrayContaining([".toolkeep/config.jsonc", ".toolkeep/tools", ".toolkeep/tools/mark.ts"]),
      );
      expect(reading.config?.denied).toEqual(["bash"]);
      expect(report.errors).toHaveLength(1);
    });
  },
);

test.each([
  ["decline", false],
  [undefined, false],
  ["once", true],
  ["trust", true],
] as const)("[C27] with the answer %s, whether code of the project runs is %s", async (answer, runs) => {
  await open(answer);
  expect(Reflect.has(globalThis, "markedBeforeTrust")).toBe(runs);
});

async function readsAreNoted(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-atime-"));
  const before = new Date("2020-01-01T00:00:00Z");
  try {
    await writeFile(join(folder, "a"), "text");
    await utimes(join(folder, "a"), before, before);
    await utimes(folder, before, before);
    await readFile(join(folder, "a"));
    await readdir(folder);
    const times = [await stat(join(folder, "a")), await stat(folder)].map(({ atimeMs }) => atimeMs);
    return times.every((time) => time !== before.getTime());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
