import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { findProject } from "./find-project.ts";

let top: string;

beforeEach(async () => {
  top = temporaryFolder();
  await mkdir(join(top, "repository", "a", "b"), { recursive: true });
});

test("a folder belongs to the nearest repository above it, else to itself", async () => {
  const deep = join(top, "repository", "a", "b");
  expect(await findProject(deep, { home: top })).toBe(deep);
  await mkdir(join(top, "repository", ".git"));
  expect(await findProject(deep, { home: top })).toBe(join(top, "repository"));
  await writeFile(join(top, "repository", "a", ".git"), "gitdir: elsewhere");
  expect(await findProject(deep, { home: top })).toBe(join(top, "repository", "a"));
});

test("links are followed before anything is looked for", async () => {
  await mkdir(join(top, "repository", ".git"));
  await symlink(join(top, "repository", "a"), join(top, "link"));
  expect(await findProject(join(top, "link"), { home: top })).toBe(join(top, "repository"));
});

test("a home folder that is a repository is no project", async () => {
  await mkdir(join(top, ".git"));
  const folder = join(top, "repository");
  expect(await findProject(folder, { home: top })).toBe(folder);
  expect(await findProject(folder, { home: join(top, "other") })).toBe(top);
});

test("a repository that everybody may write to is ignored", async () => {
  await mkdir(join(top, ".git"));
  await chmod(join(top, ".git"), 0o777);
  const folder = join(top, "repository");
  expect(await findProject(folder, { home: "/nowhere" })).toBe(folder);
});
