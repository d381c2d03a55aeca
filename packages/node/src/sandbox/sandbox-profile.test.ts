import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Effect, type RequirementSet, ToolFailure } from "@toolkeep/core";
import { effect, fsRead, fsWrite, netFetch, shellRun } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { beforeEach, describe, expect, test } from "vitest";
import { sandboxProfileFor } from "./sandbox-profile.ts";
import { type SandboxedWorkspace, sandboxedWorkspace } from "./testing/sandboxed-workspace.test.kit.ts";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
  workspace.write({ "src/a.ts": "", ".env": "", ".vscode/settings.json": "{}", "data.csv": "" });
});

const BUILD = shellRun(["npm", "run", "build"]);

function at(name: string): string {
  return join(workspace.path, name);
}

interface Given {
  readonly requires?: RequirementSet;
  readonly ceilings?: readonly RequirementSet[];
  readonly effects?: readonly Effect[];
}

function everything(): RequirementSet {
  return { fs: { read: [`${workspace.path}/**`], write: [`${workspace.path}/**`] } };
}

function grant({ requires = everything(), ceilings = [], effects = [BUILD] }: Given): Grant {
  return {
    toolName: "shell",
    callId: "1",
    ...{ requires, ceilings, effects },
    abortSignal: new AbortController().signal,
    check: () => {},
    refuse(_access, reason) {
      throw new ToolFailure("out_of_scope", reason);
    },
  };
}

async function profile(given: Given, notes: string[] = []) {
  return sandboxProfileFor(grant(given), { roots: [workspace.path], onNote: (note) => notes.push(note) });
}

describe("what a command may reach", () => {
  test("what the tool requires, within every ceiling: of folders within each other the deeper", async () => {
    const ceilings = [{ fs: { read: ["/**"], write: [`${at("src")}/**`, "/nowhere/**"] } }];
    const { read, write, cwd } = await profile({ ceilings });
    expect({ read, write, cwd }).toEqual({ read: [workspace.path], write: [at("src")], cwd: workspace.path });
  });

  test("nothing if a ceiling has no files", async () => {
    expect(await profile({ ceilings: [{ net: { hosts: ["*"] } }] })).toMatchObject({ read: [], write: [] });
  });

  test("a single file, and a folder only with everything beneath it", async () => {
    const notes: string[] = [];
    const requires = { fs: { read: [at("data.csv"), at("src"), "/no/such/file"] } };
    expect((await profile({ requires }, notes)).read).toEqual([at("data.csv")]);
    expect(notes).toEqual([expect.stringContaining("write")]);
  });

  test("nothing by patterns that choose among names, nor through links, with a note", async () => {
    symlinkSync(workspace.path, join(workspace.folder, "link"));
    const notes: string[] = [];
    const requires = {
      fs: { read: [at("*.csv"), at("src/*/x"), `${workspace.folder}/link/**`, at("{a,b}")] },
    };
    expect((await profile({ requires }, notes)).read).toEqual([]);
    expect(notes).toHaveLength(4);
  });

  test("of everything the workspace, and what the call names", async () => {
    const requires = { fs: { read: ["/**"], write: ["**"] } };
    const outside = join(workspace.folder, "workspace/../quarantine");
    const effects = [
      BUILD,
      fsRead("/etc/hosts"),
      fsRead("/usr/bin/env"),
      fsRead(outside),
      fsRead("/no/such"),
    ];
    const { read, write } = await profile({ requires, effects });
    expect(read).toEqual([workspace.path, "/etc/hosts"]);
    expect(write).toEqual([workspace.path]);
  });
});

describe("the effects that a call resolved", () => {
  test("commands that only read may change nothing", async () => {
    const reading = [shellRun(["cat", "a.txt"]), shellRun(["git", "log", "--oneline"]), fsRead(at("a.txt"))];
    expect(await profile({ effects: reading })).toMatchObject({ read: [workspace.path], write: [] });
  });

  test.each([
    ["an option that writes", shellRun(["git", "log", "--output=x"])],
    ["another command", shellRun(["make"])],
    ["an unknown command", effect("shell.dynamic", "$x")],
    ["a file that is written", fsWrite("/tmp/x")],
    ["another capability", effect("git.commit", "*")],
  ])("with %s they may", async (_name, more) => {
    expect((await profile({ effects: [shellRun(["cat", "a.txt"]), more] })).write).toContain(workspace.path);
  });

  test("a protected name or a secret is open only if its own path was named, whether it exists or not", async () => {
    const effects = [
      BUILD,
      fsWrite(at(".vscode/settings.json")),
      fsWrite(at(".husky/pre-commit")),
      fsRead(at(".env")),
      fsWrite(at("src/a.ts")),
    ];
    const { read, write } = await profile({ effects });
    expect(read).toEqual([workspace.path, at(".env")]);
    expect(write).toEqual([workspace.path, at(".vscode/settings.json"), at(".husky/pre-commit")]);
  });

  test("what a pattern grants and a sandbox cannot is open if the call names it", async () => {
    const requires = { fs: { read: [at("*.csv")] } };
    expect((await profile({ requires, effects: [BUILD, fsRead(at("data.csv"))] })).read).toEqual([
      at("data.csv"),
    ]);
  });

  test("an effect that the grant refuses opens nothing", async () => {
    const refusing: Grant = {
      ...grant({ effects: [BUILD, fsRead(at(".env")), netFetch("a.test")] }),
      check: () => {
        throw new Error("no");
      },
    };
    const { read, hosts } = await sandboxProfileFor(refusing, { roots: [workspace.path] });
    expect({ read, hosts }).toEqual({ read: [workspace.path], hosts: [] });
  });

  test("there is no network unless a resolved effect names it", async () => {
    const hostsOf = async (...effects: Effect[]) => (await profile({ effects: [BUILD, ...effects] })).hosts;
    expect(await hostsOf()).toEqual([]);
    expect(await hostsOf(netFetch("a.test"), netFetch("b.test"), netFetch("a.test"))).toEqual([
      "a.test",
      "b.test",
    ]);
    expect(await hostsOf(effect("shell.network", "*"))).toBe("any");
  });

  test("the environment is what is given, with a search path, a home and a folder for temporary files", async () => {
    const directory = { roots: [workspace.path], environment: { PATH: "/mine", TOKEN: "x" } };
    const { environment } = await sandboxProfileFor(grant({}), directory);
    expect(Object.keys(environment).toSorted()).toEqual(["HOME", "LANG", "PATH", "TMPDIR", "TOKEN"]);
    expect(environment["PATH"]).toBe("/mine");
  });
});

describe("what was approved outside of the workspace", () => {
  const outside = (effects: readonly Effect[]) => profile({ effects: [BUILD, ...effects] });

  test("is opened by its own path; of a pattern, what it matches and is no secret", async () => {
    const folder = join(workspace.folder, "outside");
    mkdirSync(join(folder, "in"), { recursive: true });
    for (const name of ["a.md", "b.md", "c.txt", ".env.md", "in/d.md"]) writeFileSync(join(folder, name), "");
    symlinkSync("/etc/passwd", join(folder, "link.md"));
    expect((await outside([fsRead(join(folder, "c.txt"))])).read).toEqual([
      workspace.path,
      join(folder, "c.txt"),
    ]);
    const { read } = await outside([fsRead(join(folder, "*.md"))]);
    expect(read.toSorted()).toEqual([join(folder, "a.md"), join(folder, "b.md"), workspace.path]);
    expect((await outside([fsRead(join(folder, "**")), fsRead(`${folder}/{a,b}.md`)])).read).toEqual([
      workspace.path,
    ]);
  });

  test("a file that does not exist cannot be opened, and the outcome says so", async () => {
    const path = join(workspace.folder, "new.txt");
    const { write, note } = await outside([fsWrite(path)]);
    expect({ write, note }).toEqual({ write: [workspace.path], note: expect.stringContaining(path) });
  });

  test("what every command sees is never opened for one, and does not make a reading command a writing one", async () => {
    const home = join(workspace.folder, "home");
    mkdirSync(home);
    const directory = {
      roots: [workspace.path],
      temporary: { folder: "/var/tmp/of-the-session", isTemporary: (path: string) => path === "/tmp" },
      isShown: ({ target }: Effect) => target === home || target.startsWith("/tmp/"),
    };
    const requires = {
      fs: { read: [`${workspace.path}/**`, "/tmp/**"], write: [`${workspace.path}/**`, "/tmp/**"] },
    };
    const effects = [shellRun(["ls"]), fsRead(home), fsWrite("/tmp/x")];
    const shown = await sandboxProfileFor(grant({ requires, effects }), directory);
    expect(shown).toMatchObject({ read: [workspace.path], write: [], temporary: "/var/tmp/of-the-session" });
  });
});
