import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FileChange } from "@toolkeep/core/ports";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";

/** `npm run campaign:patches` kills 100 times. */
const KILLS = Number(process.env["TOOLKEEP_RUNS"] ?? 3);
/** A few kills come at the same steps every time. */
const isShort = KILLS < 10;
const execute = promisify(execFile);
const PROGRAM = join(import.meta.dirname, "write-until-killed.ts");
const FILES = Array.from({ length: 10 }, (_, index) => `f${index}.txt`);

/** Eight files change, one moves into a folder that does not exist, one goes, and one is new. */
const CHANGES: readonly FileChange[] = [
  ...FILES.slice(0, 8).map((path) => ({ path, content: `new ${path}\n` })),
  ...[{ path: "f8.txt" }, { path: "made/here/f8.txt", content: "moved\n" }],
  ...[{ path: "f9.txt" }, { path: "made/new.txt", content: "added\n" }],
];

let top: string;
const at = (name: string) => join(top, name);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-kills-")));
  vi.stubEnv("TOOLKEEP_HOME", at("toolkeep"));
  mkdirSync(at("before"));
  for (const name of FILES) writeFileSync(at(`before/${name}`), "old\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(top, { recursive: true });
});

/** How many steps it took, if it was not killed. */
async function changeUntil(step: number): Promise<number | undefined> {
  rmSync(at("ws"), { recursive: true, force: true });
  cpSync(at("before"), at("ws"), { recursive: true });
  const changes = CHANGES.map((change) => ({ ...change, path: join(at("ws"), change.path) }));
  const args = [...FROM_SOURCE, PROGRAM, JSON.stringify({ changes, step })];
  try {
    return Number((await execute(process.execPath, args)).stdout);
  } catch (error) {
    expect(error).toMatchObject({ signal: "SIGKILL" });
    return undefined;
  }
}

function tree(): Readonly<Record<string, string>> {
  const entries = readdirSync(at("ws"), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(at("ws").length), entry.isFile() ? readFileSync(path, "utf8") : "folder"];
    }),
  );
}

/** As the next process that works here does. */
async function openAgain(): Promise<void> {
  const workspace = await openWorkspace({ roots: [at("ws")], sandbox: noSandbox() });
  await workspace.close();
}

test(`a process that is killed in the middle of a change of ten files leaves all of it or nothing (${KILLS} kills)`, async () => {
  // The first change of a user also makes the folder of the records.
  await changeUntil(0);
  const steps = (await changeUntil(0)) ?? 0;
  const after = tree();
  expect(after["/made/here/f8.txt"]).toBe("moved\n");
  expect(steps).toBeGreaterThan(40);
  cpSync(at("before"), at("ws"), { recursive: true });
  rmSync(at("ws/made"), { recursive: true });
  const before = tree();

  const seen = { before: 0, after: 0, half: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const step = 1 + Math.floor(((kill + (isShort ? 0.5 : Math.random())) * steps) / KILLS);
    expect(await changeUntil(step)).toBe(undefined);
    const left = JSON.stringify(tree());
    if (left !== JSON.stringify(before) && left !== JSON.stringify(after)) seen.half += 1;
    await openAgain();
    const found = tree();
    if (JSON.stringify(found) === JSON.stringify(after)) seen.after += 1;
    else {
      expect(found).toEqual(before);
      seen.before += 1;
    }
    expect(readdirSync(at("toolkeep/state/changes"))).toEqual(["lock"]);
  }
  // The kills came while the tree was neither: without the next start it would have stayed so.
  expect(seen.half).toBeGreaterThan(isShort ? 0 : KILLS / 3);
  if (process.env["TOOLKEEP_RUNS"] !== undefined) console.log(seen, { steps });
});
