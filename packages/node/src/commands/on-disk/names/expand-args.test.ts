import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { putFile, sharedFolder } from "../../../../../../tests/temporary-folder.ts";
import { kindAt, newBudget } from "../../../files/entries.ts";
import { expandedArgs } from "./expand-args.ts";

const root = sharedFolder();
const FILES = "a b ab aab .a .ab a-b a] [a d/a d/.b d/ab d/d/a .d/b A";
beforeAll(() => {
  for (const path of FILES.split(" ")) putFile(join(root, path));
  symlinkSync("d", join(root, "l"));
  symlinkSync("nowhere", join(root, "x"));
});

const MARK = "#";
const pattern = fc
  .array(fc.constantFrom(..."a b d l x . * ? [ab] [!a] [a-c] [ ] / - [[:alpha:]]".split(" ")), {
    minLength: 1,
    maxLength: 6,
  })
  .map((units) => units.join(""))
  .filter((text) => /[*?[]/.test(text) && !/^[-/]/.test(text));

test("the result of bash for a pattern is among our results, for every pattern", () => {
  const patterns = fc.sample(pattern, { numRuns: 3_000, seed: 36 });
  const script = patterns.map((one) => `printf '%s\n' ${one}; echo '${MARK}'`).join("\n");
  const { stdout } = spawnSync("bash", ["--norc", "-c", script], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
  });
  const byBash = stdout
    .split(`${MARK}\n`)
    .map((text) => text.split("\n").filter((argument) => argument !== ""));
  expect(byBash.length).toBe(patterns.length + 1);
  const plain = (argument: string) => argument.replaceAll(/\/+/g, "/").replace(/(?<=.)\/$/, "");
  let expanded = 0;
  for (const [index, one] of patterns.entries()) {
    const ours = new Set(
      expandedArgs({ argv: ["ls", one], redirects: [], expands: [1] }, root, newBudget()).map(plain),
    );
    const theirs = (byBash[index] ?? []).map(plain);
    // What bash keeps as it is names no file, or is one of our results as well.
    const missing = theirs.filter(
      (argument) => !ours.has(argument) && kindAt(join(root, argument)) !== undefined,
    );
    expect({ one, missing }).toEqual({ one, missing: [] });
    if (theirs.length > 1 || theirs[0] !== plain(one)) expanded += 1;
  }
  expect(expanded).toBeGreaterThan(300);
});
