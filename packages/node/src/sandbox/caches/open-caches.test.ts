import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { cacheOpener } from "./open-caches.ts";

let base: string;

beforeEach(() => {
  base = temporaryFolder();
});

function profile(): SandboxProfile {
  for (const name of ["mod", "build"]) mkdirSync(join(base, name));
  writeFileSync(join(base, "mod/.npmrc"), "");
  const parts = [
    { name: "mod", path: "/h/mod", below: join(base, "mod"), isPackages: true, hidden: [".npmrc"] },
    { name: "build", path: "/h/build", below: join(base, "build"), isPackages: false, hidden: [] },
  ];
  return {
    ...{ read: [], write: [base], guarded: [], hidden: [], hosts: [], environment: {}, cwd: base },
    caches: { folder: join(base, "layers/p"), parts },
  };
}

test("without overlays packages are read-only, and results are the project's own", async () => {
  const { mounts, before, close } = await cacheOpener(undefined)(profile(), undefined);
  close();
  expect(before).toEqual([]);
  expect(mounts).toEqual([
    { path: "/h/mod", as: "readable", source: join(base, "mod") },
    { path: "/h/mod/.npmrc", as: "hidden file" },
    { path: "/h/build", as: "cache", source: join(base, "layers/p/0/build/upper") },
  ]);
});

test("a command that may change nothing has no caches", async () => {
  const { mounts } = await cacheOpener(undefined)({ ...profile(), write: [] }, undefined);
  expect(mounts).toEqual([]);
});

test("a folder that no layer can be kept in leaves the caches in memory", async () => {
  writeFileSync(join(base, "layers"), "no folder");
  const { mounts } = await cacheOpener(undefined)(profile(), undefined);
  expect(mounts).toEqual([]);
});
