import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { beforeEach, describe, expect, test } from "vitest";
import { sandboxUser } from "../host/sandbox-user.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
  TEST_USER,
} from "../testing/sandboxed-workspace.test.kit.ts";
import { type BubblewrapOptions, bubblewrapSandbox } from "./bubblewrap.ts";
import { isContained } from "./contained-root.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";
const isRoot = process.getuid?.() === 0;

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

function sandbox(options: BubblewrapOptions = {}) {
  return bubblewrapSandbox({ protection: { quarantine: workspace.quarantine }, ...options });
}

function at(name: string): string {
  return join(workspace.path, name);
}

describe.skipIf(isolation === "none")(`in a bubblewrap sandbox${reason}`, () => {
  test("a command works in its folder, on the machine's programs, and on nothing else", async () => {
    workspace.write({ "a.txt": "here" });
    const line = "cat a.txt && echo made > b.txt && ls / /home /tmp && touch /etc/x";
    const { output, exitCode } = await runLine(sandbox(), line, workspace.profile());
    expect(output).toContain("here");
    expect(output).toContain("usr");
    expect(output).toMatch(/touch.*Read-only file system/);
    expect(exitCode).toBe(1);
    expect(readFileSync(at("b.txt"), "utf8")).toBe("made\n");
    expect(statSync(at("b.txt")).uid).not.toBe(0);
  });

  test("a command that only reads is planned with a check of its mounts next to one that may change them", async () => {
    workspace.write({ "sub/.env": "x" });
    const reading = workspace.profile({ read: [workspace.path], write: [] });
    const shared = sandbox();
    const [reader, writer] = await Promise.all([
      shared.wrap(["/bin/true"], reading),
      shared.wrap(["/bin/true"], workspace.profile()),
    ]);
    expect(reader.argv.join(" ")).toContain("/proc/self/mountinfo");
    await writer.done?.();
    const alone = await shared.wrap(["/bin/true"], reading);
    expect(alone.argv.join(" ")).not.toContain("/proc/self/mountinfo");
  });

  test("a sandbox without anything to change is read-only, and ends without output", async () => {
    workspace.write({ "a.txt": "here" });
    const profile = workspace.profile({ read: [workspace.path], write: [] });
    const command = await sandbox().wrap(["/bin/true"], profile);
    expect(command.done).toBeUndefined();
    const { output } = await runLine(sandbox(), "cat a.txt; touch b.txt", profile);
    expect(output).toMatch(/here[\s\S]*Read-only file system/);
  });

  test("small files of the system are copies of today, which cannot be changed, moved or opened to more", async () => {
    const { namespace, done } = await sandbox().wrap(["/usr/bin/true"], workspace.profile());
    await done?.();
    const copied = namespace?.copied ?? [];
    expect(copied).toContain("/etc/passwd");
    for (const path of copied) expect(statSync(path).mode & 0o004, path).not.toBe(0);
    const names = copied.join(" ");
    const { output } = await runLine(sandbox(), `sha256sum ${names}`, workspace.profile());
    const sums = copied.map((path) => createHash("sha256").update(readFileSync(path)).digest("hex"));
    expect(output.trim().split("\n")).toEqual(copied.map((path, index) => `${sums[index]}  ${path}`));
    const lines = copied.flatMap((path) => [
      `echo x > ${path}`,
      `chmod u+w ${path}`,
      `mv ${path} ${path}2`,
      `rm -f ${path}`,
    ]);
    const tried = await runLine(sandbox(), `${lines.join("; ")}; ls -l /proc/self/fd`, workspace.profile());
    expect(tried.output.match(/Read-only file system/g)).toHaveLength(lines.length);
    expect(tried.output).not.toMatch(/-> \/etc\//);
  });

  test("what is protected cannot be changed, moved or replaced where it is there", async () => {
    workspace.write({
      ".git/config": "",
      ".git/hooks/README": "",
      ".git/modules/deep/er/HEAD": "",
      ".git/modules/deep/er/config": "",
      "sub/.git": "gitdir: elsewhere",
      "sub/.gitattributes": "",
      ".vscode/settings.json": "{}",
      ".github/workflows/x.yml": "",
    });
    const line = [
      "echo x > .git/config",
      "echo x > .git/hooks/pre-commit",
      "echo x > .git/modules/deep/er/config",
      "mv .git moved",
      "rm -rf .git/hooks",
      "echo x > sub/.git",
      "rm -f sub/.gitattributes",
      "touch .vscode/tasks.json",
      "touch .github/workflows/y.yml",
    ].join("; ");
    const { output, complaint } = await runLine(sandbox(), line, workspace.profile());
    expect(output.match(/Read-only file system|Device or resource busy/g)?.length).toBeGreaterThanOrEqual(9);
    expect(complaint).toBeUndefined();
    expect(readFileSync(at(".git/config"), "utf8")).toBe("");
    expect(readdirSync(at(".git/hooks"))).toEqual(["README"]);
    expect(readdirSync(at(".github/workflows"))).toEqual(["x.yml"]);
  });

  test("git itself works in a repository that is there", async () => {
    await runLine(
      bubblewrapSandbox({ protection: { quarantine: workspace.quarantine } }),
      "true",
      workspace.profile(),
    );
    workspace.write({
      "a.txt": "a",
      ".git/config": "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = a\n\temail = a@a.test\n",
    });
    workspace.write({
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/objects/info/x": "",
      ".git/refs/heads/.keep": "",
    });
    const line = "rm .git/refs/heads/.keep; git add a.txt && git commit -qm first && git log --format=%s";
    const { output, complaint } = await runLine(sandbox(), line, workspace.profile());
    expect(output).toBe("first\n");
    expect(complaint).toBeUndefined();
  });

  test("secrets in its folder are not to be seen", async () => {
    workspace.write({ ".env": "SECRET=1", "keys/id_rsa": "PRIVATE", ".aws/config": "PRIVATE", "a.txt": "a" });
    const { output } = await runLine(
      sandbox(),
      "cat .env keys/id_rsa .aws/config; ls .aws | wc -l",
      workspace.profile(),
    );
    expect(output).not.toMatch(/SECRET=1|PRIVATE/);
    expect(output.match(/Permission denied/g)).toHaveLength(2);
    expect(output).toMatch(/^0$/m);
    expect(readFileSync(at(".env"), "utf8")).toBe("SECRET=1");
  });

  test("what the profile opens by its own path can be changed, and nothing next to it", async () => {
    workspace.write({
      ".vscode/settings.json": "{}",
      ".vscode/tasks.json": "{}",
      ".git/config": "",
      ".env": "SECRET=1",
    });
    const write = [workspace.path, at(".vscode/settings.json"), at(".git/config"), at(".husky/pre-commit")];
    const profile = workspace.profile({ write, read: [at(".env")] });
    const line = [
      "echo new > other && mv other .vscode/settings.json",
      "git config --file .git/config core.bare false",
      "mkdir .husky && touch .husky/pre-commit .husky/pre-push",
      "echo x > .vscode/tasks.json",
      "cat .env; echo x >> .env",
    ].join("; ");
    const { output, complaint } = await runLine(sandbox(), line, profile);
    expect(readFileSync(at(".vscode/settings.json"), "utf8")).toBe("new\n");
    expect(readFileSync(at(".git/config"), "utf8")).toContain("bare");
    expect(readFileSync(at(".vscode/tasks.json"), "utf8")).toBe("{}");
    expect(output).toContain("SECRET=1");
    expect(readFileSync(at(".env"), "utf8")).toBe("SECRET=1");
    expect(readdirSync(at(".husky"))).toEqual(["pre-commit"]);
    expect(String(complaint)).toContain(".husky/pre-push");
  });

  test("what the profile does not let it change is protected, whether or not it exists", async () => {
    workspace.write({ "kept.txt": "kept" });
    const profile = workspace.profile({ guarded: [at("kept.txt"), at("new.txt")], hidden: [] });
    const { complaint } = await runLine(sandbox(), "echo x > kept.txt; echo x > new.txt", profile);
    expect(readFileSync(at("kept.txt"), "utf8")).toBe("kept");
    expect(existsSync(at("new.txt"))).toBe(false);
    expect(complaint).toBeInstanceOf(ToolFailure);
  });

  test("links that lead out bring nothing in, and a protected link is put back", async () => {
    workspace.write({ "real/hooks.json": "{}" });
    symlinkSync("/etc", at("out"));
    symlinkSync("real", at(".husky"));
    const line =
      "cat out/hostname; echo x > real/hooks.json; rm .husky; mkdir .husky; touch .husky/pre-commit";
    const { output, complaint } = await runLine(sandbox(), line, workspace.profile());
    expect(output).toMatch(/No such file[\s\S]*Read-only file system/);
    expect(readlinkSync(at(".husky"))).toBe("real");
    expect(String(complaint)).toContain(".husky");
  });

  test("only the command gets the values of its environment", async () => {
    const environment = { PATH: "/usr/bin:/bin", TOKEN: "it's\na 'secret'", LD_PRELOAD: "/nowhere.so" };
    const command = await sandbox().wrap(["/bin/bash", "-c", "true"], workspace.profile({ environment }));
    expect(command.argv.join(" ")).not.toContain("secret");
    expect(Object.keys(command.environment)).toEqual(["TOOLKEEP_PRIVATE"]);
    const { output } = await runLine(
      sandbox(),
      'printf "%s|" "$TOKEN"; env',
      workspace.profile({ environment }),
    );
    expect(output).toContain("it's\na 'secret'|");
    expect(output).not.toContain("TOOLKEEP");
  });

  test("a command that uses up too much is refused more", async () => {
    const limits = { fileSize: 4_096, openFiles: 32, memory: 256 * 2 ** 20, processes: 16 };
    const script = [
      "import os,time",
      "made=0",
      "try:",
      "  for i in range(100000):",
      "    if os.fork()==0: time.sleep(60)",
      "    made+=1",
      "except OSError as error: print('stopped', error.errno)",
    ].join("\n");
    const line = `head -c 8192 /dev/zero > f; ulimit -n; python3 -c 'x=bytearray(2**29)'; python3 -c "${script}"`;
    const { output } = await runLine(sandbox({ limits }), line, workspace.profile());
    expect(output).toMatch(/File size limit exceeded/);
    expect(output).toMatch(/^32$/m);
    expect(output).toContain("MemoryError");
    expect(output).toContain("stopped 11");
  });

  test("a command is gone with everything it has started", async () => {
    const { output } = await runLine(sandbox(), "setsid sleep 300 & echo started", workspace.profile());
    expect(output).toBe("started\n");
  });
});

describe("a sandbox that cannot be built is refused with the reason", () => {
  test.each([
    ["a list of hosts", { hosts: ["example.test"] }, /filters by host/],
    ["the root", { read: ["/"] }, /cannot open \//],
    ["what belongs to the kernel", { read: ["/proc/self"] }, /cannot open/],
    ["an unreadable folder", { cwd: "/usr" }, /may not even read/],
    ["an invalid name", { environment: { "A B": "" } }, /cannot be used/],
  ])("%s", async (_name, changes, args) => {
    await expect(sandbox().wrap(["/bin/true"], workspace.profile(changes))).rejects.toThrow(args);
  });

  test("a path that leads through a link", async () => {
    symlinkSync(workspace.path, join(workspace.folder, "link"));
    const profile = workspace.profile({ read: [join(workspace.folder, "link")] });
    await expect(sandbox().wrap(["/bin/true"], profile)).rejects.toThrow(/leads through a link/);
  });

  test("more folders than can be looked into", async () => {
    workspace.write({ "a/b/c/d.txt": "" });
    const box = sandbox({ protection: { mostFolders: 2 } });
    await expect(box.wrap(["/bin/true"], workspace.profile())).rejects.toThrow(/more than 2 folders/);
  });

  test.each([
    { runAs: { uid: 0, gid: 0 } },
    { limits: { memory: -1 } },
    { temporaryBytes: 0 },
    { programs: ["x"] },
  ])("options that make no sense: %j", (options) => {
    expect(() => bubblewrapSandbox(options)).toThrow(expect.objectContaining({ code: "invalid_option" }));
  });
});

describe.skipIf(!isRoot)(`as root${isRoot ? "" : ": skipped, the tests do not run as root"}`, () => {
  test("a command runs as the owner of the folder, as the named user, or as the user nobody", async () => {
    const userOf = async (
      options: BubblewrapOptions,
      changes: Parameters<SandboxedWorkspace["profile"]>[0],
    ) => (await sandbox(options).wrap(["/bin/true"], workspace.profile(changes))).user;
    expect(await userOf({}, {})).toEqual({ uid: TEST_USER, gid: TEST_USER });
    expect(await userOf({ runAs: { uid: 7, gid: 8 } }, { write: [], read: ["/usr"], cwd: "/usr" })).toEqual({
      uid: 7,
      gid: 8,
    });
    expect(await userOf({}, { write: [], read: ["/usr"], cwd: "/usr" })).toEqual({
      uid: 65_534,
      gid: 65_534,
    });
  });

  test("and never as root outside of a container, nor as a user who cannot reach the folder", async () => {
    mkdirSync(join(workspace.folder, "roots"), { mode: 0o755 });
    const path = join(workspace.folder, "roots");
    const profile = workspace.profile({ write: [path], cwd: path });
    expect(() => sandboxUser(profile, undefined)).toThrow(/belongs to root/);
    expect(() => sandboxUser(profile, { uid: 7, gid: 0 })).toThrow(/belongs to root/);
    if (!isContained())
      await expect(sandbox().wrap(["/bin/true"], profile)).rejects.toThrow(/belongs to root/);
    const closed = sandbox({ runAs: { uid: 4_242, gid: 4_242 } }).wrap(["/bin/true"], workspace.profile());
    await expect(closed).rejects.toThrow(/to whom .* is closed/);
  });
});
