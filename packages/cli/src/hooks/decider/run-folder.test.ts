import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import { beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import {
  isIn,
  isMoved,
  isPrivateFolder,
  MANAGED,
  runFolderOf,
  socketPathOf,
  socketState,
  stampOf,
} from "./run-folder.ts";

let base: string;
beforeEach(() => {
  base = temporaryFolder();
});

test.each([
  {},
  { TOOLKEEP_HOME: "" },
  { TOOLKEEP_HOME: "/elsewhere" },
  { XDG_STATE_HOME: "/planted", XDG_RUNTIME_DIR: "/planted", TMPDIR: "/planted" },
])("the directory is the one that is hidden from sandboxes: %j", (env) => {
  const home = "/home/ada";
  expect(runFolderOf(env, () => home)).toBe(directories({ env, home, platform: "linux" }).run);
});

test("there is none without an absolute home directory", () => {
  expect(runFolderOf({ TOOLKEEP_HOME: "here" }, () => "/home/ada")).toBeUndefined();
  expect(runFolderOf({}, () => "here")).toBeUndefined();
  expect(
    runFolderOf({}, () => {
      throw new Error("no home");
    }),
  ).toBeUndefined();
});

test("a socket has a path that fits, and each program its own", () => {
  const path = socketPathOf({ folder: "/r", program: "/a/main.js" });
  expect(path).toMatch(/^\/r\/[0-9a-f]{16}\.sock$/);
  expect(socketPathOf({ folder: "/r", program: "/b/main.js" })).not.toBe(path);
  expect(socketPathOf({ folder: `/${"r".repeat(100)}`, program: "/a/main.js" })).toBeUndefined();
});

test("a directory is private if it is no link, and no other user can enter it", () => {
  const folder = join(base, "run");
  expect(isPrivateFolder(folder)).toBe(false);
  mkdirSync(folder, { mode: 0o700 });
  expect(isPrivateFolder(folder)).toBe(true);
  symlinkSync(folder, join(base, "link"));
  expect(isPrivateFolder(join(base, "link"))).toBe(false);
  for (const mode of [0o710, 0o701, 0o770, 0o755]) {
    chmodSync(folder, mode);
    expect(isPrivateFolder(folder)).toBe(false);
  }
  writeFileSync(join(base, "file"), "", { mode: 0o600 });
  expect(isPrivateFolder(join(base, "file"))).toBe(false);
});

test("only a socket itself is one: no file, directory or link", async () => {
  const path = join(base, "s");
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once("listening", resolve));
  symlinkSync(path, join(base, "link"));
  writeFileSync(join(base, "file"), "");
  mkdirSync(join(base, "folder"));
  const states = ["s", "link", "file", "folder", "none"].map((name) => socketState(join(base, name)));
  server.close();
  expect(states).toEqual(["ours", "foreign", "foreign", "foreign", "missing"]);
});

test("a stamp tells a replaced file, also with the same size and time", () => {
  const file = join(base, "main.js");
  const write = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, 1, 1);
    return stampOf(file);
  };
  const before = write("one");
  expect(stampOf(file)).toBe(before);
  expect(write("two")).not.toBe(before);
});

test("a directory is in itself and in what contains it", () => {
  expect(isIn("/p/run", ["/p"])).toBe(true);
  expect(isIn("/p", ["/p"])).toBe(true);
  expect(isIn("/pp/run", ["/p", undefined, ""])).toBe(false);
});

test("on a machine with an administrator, no variable moves the directory", () => {
  const managed = join(base, "config.jsonc");
  expect(MANAGED).toBe(directories().managedConfig);
  expect(isMoved({ TOOLKEEP_HOME: "/elsewhere" }, managed)).toBe(false);
  for (const name of ["config.json", "config.jsonc"]) {
    writeFileSync(join(base, name), "{}");
    vi.stubEnv("HOME", userInfo().homedir);
    expect(isMoved({}, managed)).toBe(false);
    expect(isMoved({ TOOLKEEP_HOME: "/elsewhere" }, managed)).toBe(true);
    vi.stubEnv("HOME", base);
    expect(isMoved({}, managed)).toBe(true);
    vi.unstubAllEnvs();
    rmSync(join(base, name));
  }
});
