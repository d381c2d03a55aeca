import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fsRead, fsWrite } from "@toolkeep/core/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CANARY, type HostileFolders, hostileFolders } from "../../../../tests/races/hostile-folders.ts";
import { type FilesSession, withFiles } from "../../../../tests/races/session-files.ts";

let folders: HostileFolders;
beforeEach(() => {
  folders = hostileFolders();
  const { workspace: ws, outside } = folders;
  mkdirSync(`${ws}-evil`);
  writeFileSync(`${ws}-evil/secret.txt`, CANARY);
  mkdirSync(join(ws, ".git/hooks"), { recursive: true });
  symlinkSync(outside, join(ws, "link"));
  symlinkSync(join(outside, "secret.txt"), join(ws, "l"));
  for (const [from, to] of [
    ["l1", "l2"],
    ["l2", "l3"],
    ["l3", "l"],
    ["loop", "loop"],
  ] as const)
    symlinkSync(to, join(ws, from));
  symlinkSync(join(outside, "made"), join(ws, "dangling"));
  symlinkSync("/dev/zero", join(ws, "dev"));
  symlinkSync("/proc/self/root", join(ws, "magic"));
  symlinkSync("a.txt", join(ws, "inlink"));
  linkSync(join(outside, "victim.txt"), join(ws, "hard.txt"));
  execFileSync("mkfifo", [join(ws, "fifo")]);
});
afterEach(() => {
  expect(readdirSync(folders.outside).toSorted()).toEqual(["secret.txt", "victim.txt"]);
  expect(readFileSync(join(folders.outside, "victim.txt"), "utf8")).toBe("untouched\n");
});

/** Stands for its name in the folders of a test. */
const placed = (path: string) =>
  path
    .replaceAll("{W_UPPER}", folders.workspace.toUpperCase())
    .replaceAll("{W}", folders.workspace)
    .replaceAll("{OUTNAME}", basename(folders.outside))
    .replaceAll("{OUT}", folders.outside);

const absolute = (path: string) => (path.startsWith("/") ? path : `${folders.workspace}/${path}`);
const withIo = (more: Partial<FilesSession>, path: string, content?: string) =>
  withFiles({ variables: { workspace: [folders.workspace] }, ...more }, async (files) =>
    content === undefined
      ? Buffer.from((await files.read(absolute(path))).bytes).toString()
      : (await files.write(absolute(path), content)).version,
  );

const READ_IN_VAIN: readonly string[] = [
  "../secret.txt",
  "../../../../../../etc/passwd",
  "/etc/passwd",
  "{OUT}/secret.txt",
  "{W}/../{OUTNAME}/secret.txt",
  "src/../../{OUTNAME}/secret.txt",
  "./src/./.././../{OUTNAME}/secret.txt",
  "//etc//passwd",
  "~/.ssh/id_rsa",
  "$HOME/.ssh/id_rsa",
  "file:///etc/passwd",
  "%2e%2e/%2e%2e/etc/passwd",
  "..\\..\\etc\\passwd",
  "a.txt\0.png",
  "..;/etc/passwd",
  "/proc/self/environ",
  "/proc/self/root/etc/passwd",
  "/proc/self/cwd/../{OUTNAME}/secret.txt",
  "/proc/thread-self/mem",
  "/dev/fd/0",
  "/dev/tcp/127.0.0.1/80",
  "/sys/class/dmi/id/product_uuid",
  "\\\\attacker\\share\\x",
  "C:\\Windows\\win.ini",
  "CON",
  "a.txt::$DATA",
  "a.txt:hidden",
  "{W}-evil/secret.txt",
  "{W_UPPER}/A.TXT",
  "",
  "a".repeat(5_000),
  "a/".repeat(5_000),
  "link/secret.txt",
  "l",
  "l1",
  "loop",
  "fifo",
  "dev",
  "magic/etc/passwd",
  "link/../outside/secret.txt",
  "a.txt/../../outside/secret.txt",
];

describe("reading a hostile path shows nothing of what is outside", () => {
  test.each(READ_IN_VAIN.map((path) => [path.slice(0, 60), path]))("%j", async (_title, said) => {
    const path = placed(said);
    const alone = await withIo({}, path);
    expect(alone.failure, "by the hand alone").toBeDefined();
    expect(JSON.stringify(alone)).not.toContain(CANARY);
    const start = performance.now();
    const whole = await withIo({ watched: true, effects: [fsRead(path)] }, path);
    expect(whole.failure, "by the whole").toBeDefined();
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(JSON.stringify(whole)).not.toContain(CANARY);
  });
});

describe("writing to a hostile path changes nothing", () => {
  const held = [
    "{W}-evil/x",
    "link/new.txt",
    "dangling",
    "l",
    "hard.txt",
    "fifo",
    "dev",
    "loop",
    "../x",
    "a.txt/x",
  ];

  test.each(held)("%j is refused by the hand alone", async (said) => {
    const { failure } = await withIo({}, placed(said), "x");
    expect(failure).toBeDefined();
    expect(readdirSync(`${folders.workspace}-evil`)).toEqual(["secret.txt"]);
  });

  // On a volume that tells them apart these are names like any other: the watchdogs ask before them.
  const protectedNames = [
    ".git/hooks/pre-commit",
    ".Git/hooks/pre-commit",
    ".g\u200cit/config",
    "GIT~1/config",
    ".git./config",
  ];

  test.each(protectedNames)("%j asks, and there is no approver", async (path) => {
    const { failure } = await withIo({ watched: true, effects: [fsWrite(path)] }, path, "x");
    expect(failure?.code).toBe("denied");
    expect(readdirSync(join(folders.workspace, ".git/hooks"))).toEqual([]);
  });
});

describe("what is harmless passes", () => {
  const read = [
    "a.txt",
    "./src/../a.txt",
    "{W}/a.txt",
    "..a.txt",
    "a..b/..c",
    "inlink",
    "sp ace é 漢.txt",
    "-rf",
  ];

  test.each(read)("reading %j", async (said) => {
    const { workspace: ws } = folders;
    mkdirSync(join(ws, "a..b"));
    for (const name of ["..a.txt", "a..b/..c", "sp ace é 漢.txt", "-rf"])
      writeFileSync(join(ws, name), "hello\n");
    const path = placed(said);
    expect((await withIo({ watched: true, effects: [fsRead(path)] }, path)).value).toBe("hello\n");
  });

  test.each(["cafe\u0301.txt", "caf\u00e9.txt", "new/deep/x.ts"])("writing %j", async (path) => {
    expect((await withIo({ watched: true, effects: [fsWrite(path)] }, path, "x")).failure).toBeUndefined();
    expect(readFileSync(join(folders.workspace, path), "utf8")).toBe("x");
  });
});
