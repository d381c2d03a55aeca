import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keepOpenMounts } from "../mounts/open-mounts.ts";
import { scan } from "../scan/scan.ts";
import { type SandboxedWorkspace, sandboxedWorkspace } from "../testing/sandboxed-workspace.test.kit.ts";
import { quarantine } from "./quarantine.ts";
import { type ProtectionOptions, watchProtected } from "./watch-protected.ts";

/** Another file system than the one for temporary files, where there is one. */
const OTHER = "/dev/shm";
const isRoot = process.getuid?.() === 0;
const hasOther = existsSync(OTHER) && statSync(OTHER).dev !== statSync("/tmp").dev;

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

function at(name: string): string {
  return join(workspace.path, name);
}

async function watched(open: readonly string[] = [], protection: ProtectionOptions = {}) {
  const profile = workspace.profile({ write: [workspace.path, ...open] });
  const before = await scan([workspace.path]);
  return watchProtected({
    ...{ profile, before, openMount: keepOpenMounts(profile) },
    protection: { quarantine: workspace.quarantine, ...protection },
  });
}

test("what is new under a protected name is moved away whole, and the host application is told", async () => {
  const told: string[] = [];
  const done = await watched([], { onQuarantine: (things) => told.push(...things.map(({ from }) => from)) });
  workspace.write({
    "deep/er/.git/config": "x",
    "deep/er/.git/hooks/update": "x",
    HEAD: "",
    "objects/x": "",
    "refs/x": "",
  });
  await expect(done()).rejects.toThrow(expect.objectContaining({ code: "out_of_scope" }));
  expect(told.toSorted()).toEqual([at("HEAD"), at("deep/er/.git")]);
  expect(existsSync(at("deep/er/.git"))).toBe(false);
  const [id = ""] = readdirSync(workspace.quarantine).filter((name) =>
    existsSync(join(workspace.quarantine, name, ".git")),
  );
  expect(readFileSync(join(workspace.quarantine, id, ".git/config"), "utf8")).toBe("x");
});

test("what was there, and what moved with its folder, stays", async () => {
  workspace.write({ "sub/.git/config": "", "sub/.vscode/x.json": "", ".bashrc": "" });
  const done = await watched();
  renameSync(at("sub"), at("moved"));
  workspace.write({ "moved/.git/index": "", "a.txt": "" });
  await expect(done()).resolves.toBeUndefined();
  expect(existsSync(at("moved/.git/config"))).toBe(true);
});

test("one command does not take away what another was given leave to make", async () => {
  const done = await watched();
  const other = await watched([at(".vscode/settings.json")]);
  workspace.write({ ".vscode/settings.json": "{}", ".vscode/tasks.json": "{}" });
  await expect(other()).rejects.toThrow(/tasks\.json/);
  await expect(done()).resolves.toBeUndefined();
  expect(readdirSync(at(".vscode"))).toEqual(["settings.json"]);
});

test("nothing is moved through a link that leads out", async () => {
  const outside = join(workspace.folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, ".bashrc"), "mine");
  symlinkSync(outside, at("sub"));
  expect(() => quarantine(at("sub/.bashrc"), workspace.quarantine)).toThrow(/moved or replaced/);
  expect(readFileSync(join(outside, ".bashrc"), "utf8")).toBe("mine");
});

test("a file that another process replaced meanwhile is kept aside, and the one from before is back", async () => {
  workspace.write({ ".bashrc": "before", ".profile": "gone by intent" });
  const done = await watched();
  workspace.write({ next: "after" });
  renameSync(at("next"), at(".bashrc"));
  rmSync(at(".profile"));
  await expect(done()).rejects.toThrow(/what was there before is back/);
  expect(readFileSync(at(".bashrc"), "utf8")).toBe("before");
  expect(readdirSync(workspace.path)).toEqual([".bashrc"]);
});

test("a link that leads elsewhere by now is not put back", async () => {
  symlinkSync("real", at(".husky"));
  const done = await watched();
  workspace.write({ "real/pre-commit": "" });
  await expect(done()).rejects.toThrow(/\.husky/);
  expect(readdirSync(workspace.path)).toEqual(["real"]);
});

const canNail = isRoot && nailed(undefined);

test.skipIf(!canNail)(
  `what cannot be moved stays strange to every later command${canNail ? "" : ": skipped, nothing can be made immovable here"}`,
  async () => {
    const done = await watched();
    workspace.write({ ".bashrc": "x" });
    nailed(at(".bashrc"));
    await expect(done()).rejects.toThrow(/still there: EPERM/);
    const later = await watched();
    await expect(later()).rejects.toThrow(/still there: EPERM/);
    execFileSync("chattr", ["-i", at(".bashrc")]);
    const last = await watched();
    await expect(last()).rejects.toThrow(/\.bashrc \(auto-executed configuration; now/);
  },
);

/** Creates a file that cannot be moved, or tests whether that is possible. */
function nailed(path: string | undefined): boolean {
  const file = path ?? join(mkdtempSync(join(tmpdir(), "toolkeep-nail-")), "x");
  if (path === undefined) writeFileSync(file, "");
  try {
    execFileSync("chattr", ["+i", file], { stdio: "ignore" });
    if (path === undefined) execFileSync("chattr", ["-i", file], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    if (path === undefined) rmSync(dirname(file), { recursive: true });
  }
}

test.skipIf(!hasOther)(
  `on another file system it stays next to its path, under a name that no program uses${hasOther ? "" : ": skipped, there is no other"}`,
  async () => {
    const folder = mkdtempSync(join(OTHER, "toolkeep-quarantine-"));
    const done = await watched([], { quarantine: folder });
    workspace.write({ ".bashrc": "x" });
    await expect(done()).rejects.toThrow(/\.bashrc\.quarantined-/);
    expect(readdirSync(workspace.path)).toEqual([expect.stringMatching(/^\.bashrc\.quarantined-/)]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(await scan([workspace.path])).toEqual([]);
  },
);

test("each thing that was taken away is named with its own reason", async () => {
  const profile = { ...workspace.profile(), createdDespiteDeny: async () => [at("new.bak")] };
  const before = await scan([workspace.path]);
  const protection = { quarantine: workspace.quarantine };
  const done = watchProtected({ profile, before, protection, openMount: keepOpenMounts(profile) });
  workspace.write({ "new.bak": "x", ".bashrc": "x" });
  const failure: unknown = await done().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/new\.bak \(denied by policy; now \S+\)/),
    hint: expect.stringMatching(/change the policy rule.*write tool/),
  });
  expect(failure).toMatchObject({
    message: expect.stringMatching(/\.bashrc \(auto-executed configuration; now \S+\)/),
  });
});

const CLOSINGS = {
  "whose folder has another one with a name that is not text": () =>
    mkdirSync(Buffer.concat([Buffer.from(at(".git/")), Buffer.from([0xff])])),
  "that cannot be listed": () => chmodSync(at(".git"), 0o311),
};

test.each(Object.entries(CLOSINGS))(
  "a repository %s from before is opened, and what was created in it is removed",
  async (_name, close) => {
    workspace.write({ ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "" });
    const done = await watched();
    workspace.write({ ".git/hooks/post-commit": "x", ".git/commondir": "../evil" });
    close();
    await expect(done()).rejects.toThrow(/hooks.*commondir|commondir.*hooks/);
    expect(readdirSync(at(".git")).filter((name) => !name.startsWith("not-text-"))).toEqual([
      "HEAD",
      "config",
    ]);
  },
);

test("a list with very many lines that git would run is one find, and everything else is removed too", async () => {
  workspace.write({ ".git/HEAD": "ref: refs/heads/main\n" });
  const done = await watched();
  const lines = Array.from({ length: 300_000 }, (_value, index) => `x ${index}`);
  workspace.write({ ".git/sequencer/todo": lines.join("\n"), ".git/commondir": "../evil" });
  await expect(done()).rejects.toThrow(/commondir.*todo|todo.*commondir/);
  expect(existsSync(at(".git/commondir"))).toBe(false);
  await expect((await watched())()).resolves.toBeUndefined();
});

test("what was found is taken away even if the rest cannot be looked at", async () => {
  const before = await scan([workspace.path]);
  const profile = workspace.profile({ createdDespiteDeny: () => Promise.reject(new RangeError("too much")) });
  const done = watchProtected({
    ...{ profile, before, openMount: keepOpenMounts(profile) },
    protection: { quarantine: workspace.quarantine },
  });
  workspace.write({ ".bashrc": "x" });
  await expect(done()).rejects.toThrow(
    expect.objectContaining({ code: "out_of_scope", message: expect.stringMatching(/\.bashrc.*too much/) }),
  );
  expect(existsSync(at(".bashrc"))).toBe(false);
});

test("what decides what is run is found in secret folders too, if a command made them", async () => {
  workspace.write({ ".aws/.vscode/settings.json": "{}" });
  const done = await watched();
  workspace.write({
    ".ssh/x/.git/config": "x",
    "keys.key/.git/config": "x",
    ".kube/a/.gnupg/b/.vscode/tasks.json": "{}",
    "src/credentials/index.ts": "",
  });
  await expect(done()).rejects.toThrow(/out_of_scope|made what is protected/);
  expect(existsSync(at(".ssh/x/.git"))).toBe(false);
  expect(existsSync(at("keys.key/.git"))).toBe(false);
  expect(existsSync(at(".kube/a/.gnupg/b/.vscode/tasks.json"))).toBe(false);
  expect(existsSync(at(".aws/.vscode/settings.json"))).toBe(true);
  expect(existsSync(at("src/credentials/index.ts"))).toBe(true);
});

test("settings with secrets that a program uses are removed if a command created them, and keys stay", async () => {
  const done = await watched();
  const autoExecuted = [
    ...[".aws/config", ".aws/cli/alias", ".kube/config", ".gnupg/gpg-agent.conf", ".ssh/authorized_keys"],
    ...[".docker/config.json", ".terraformrc", ".config/gh/config.yml", ".azure/cliextensions/x/a.py"],
  ];
  const others = ["test/server.key", ".ssh/id_test", ".kube/cache/x", "credentials.json"];
  workspace.write(Object.fromEntries([...autoExecuted, ...others].map((name) => [name, "x"])));
  await expect(done()).rejects.toThrow(/made what is protected/);
  expect(autoExecuted.filter((name) => existsSync(at(name)))).toEqual([]);
  expect(others.filter((name) => !existsSync(at(name)))).toEqual([]);
});

test("what has bytes in its name that are not valid text is found where it is protected, and stays where it is not", async () => {
  const bytes = (before: string, after = "") =>
    Buffer.concat([Buffer.from(at(before)), Buffer.from([0xff]), Buffer.from(after)]);
  workspace.write({ ".git/logs/refs/heads/main": "", "d/x": "" });
  const done = await watched();
  symlinkSync("/nowhere", bytes(".git/logs/refs/heads/"));
  writeFileSync(bytes("d/", ".code-workspace"), "{}");
  writeFileSync(bytes("d/", ".txt"), "");
  await expect(done()).rejects.toThrow(/logs\/refs\/heads\/not-text-/);
  expect(readdirSync(at(".git/logs/refs/heads"))).toEqual(["main"]);
  expect(existsSync(bytes("d/", ".code-workspace"))).toBe(false);
  expect(existsSync(bytes("d/", ".txt"))).toBe(true);
});
