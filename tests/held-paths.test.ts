import { expect, test } from "vitest";
import { heldPathErrors } from "../scripts/check-held-paths.ts";

function errorsIn(text: string, path = "planted.ts"): readonly string[] {
  return heldPathErrors([{ path, text }]);
}

test.each([
  [
    'import { chmod } from "node:fs/promises";\nawait chmod(path, 0o644);',
    "planted.ts:2 calls chmod by a path",
  ],
  ['import { chownSync as give } from "fs";\ngive(path, 1, 1);', "planted.ts:2 calls chownSync by a path"],
  [
    'import { renameSync } from "node:fs";\nrenameSync(folder.at(name), to);',
    "planted.ts:2 calls renameSync by a path",
  ],
  [
    'import { symlink } from "node:fs/promises";\nsymlink(x.at(a), path);',
    "planted.ts:2 calls symlink by a path",
  ],
  ...["0", "-1", " 1"].map((index) => [
    `import { rmSync } from "node:fs";\nrmSync(paths.at(${index}));`,
    "planted.ts:2 calls rmSync by a path",
  ]),
  ['import { rm } from "node:fs/promises";\n[path].map(rm);', "planted.ts:2 hands on rm"],
  ['import * as fs from "node:fs";', "planted.ts:1 takes the whole of node:fs"],
  ['import fs from "node:fs/promises";', "planted.ts:1 takes the whole of node:fs"],
  ['const fs = await import("node:fs");', "planted.ts:1 takes the whole of node:fs"],
  ['process.getBuiltinModule("fs").rmSync("/");', "planted.ts:1 takes the whole of node:fs"],
  ['export { rmSync } from "node:fs";', "planted.ts:1 takes the whole of node:fs"],
  ['import { openSync } from "node:fs";\nopenSync(path, "w");', "planted.ts:2 calls openSync by a path"],
  [
    'import { writeFile } from "node:fs/promises";\nwriteFile(heldPath, "");',
    "planted.ts:2 calls writeFile by a path",
  ],
])("a planted use is found: %j", (text, error) => {
  expect(errorsIn(text)).toEqual([error]);
});

test("a held folder is not enough for what follows a link at the name itself, also in a helper", () => {
  const chown =
    'import { chown } from "node:fs/promises";\nawait chown(heldPath, 1, 1); await chown(folder.at(name), 1, 1);';
  expect(errorsIn(chown, "put-back.ts")).toEqual([
    "put-back.ts:2 calls chown by a path",
    "put-back.ts:2 calls chown by a path",
  ]);
});

test("a name in a folder that is held, a handle and what only reads are none", () => {
  expect(
    errorsIn(
      'import { readFileSync, renameSync } from "node:fs";\nimport { open } from "node:fs/promises";\n' +
        "renameSync(one.at(name), other.at(name)); readFileSync(path);\n" +
        "const file = await open(one.at(name), flags); await file.chmod(0o644); await file.chown(1, 1);",
    ),
  ).toEqual([]);
});

test("a helper may take a held path, and what is allowed in one module is not allowed in another", () => {
  const removes = 'import { unlinkSync } from "node:fs";\nunlinkSync(heldPath);';
  expect([errorsIn(removes, "put-back.ts"), errorsIn(removes)]).toEqual([
    [],
    ["planted.ts:2 calls unlinkSync by a path"],
  ]);
  const makes = 'import { mkdirSync } from "node:fs";\nmkdirSync(path);';
  expect([errorsIn(makes, "quarantine.ts"), errorsIn(makes)]).toEqual([
    [],
    ["planted.ts:2 calls mkdirSync by a path"],
  ]);
});
