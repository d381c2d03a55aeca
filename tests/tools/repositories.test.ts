import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type Session, type Tool, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace, type Workspace } from "@toolkeep/node";
import { codeTools, standardTools } from "@toolkeep/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALLOW } from "../scenario.ts";

let top: string;
let root: string;
let origin: string;
let workspace: Workspace;
let session: Session;
let calls = 0;
/** Files by which a repository can have something run, or may hold secrets. */
const SETTINGS = [".gitattributes", ".envrc", ".env"];

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-repositories-")));
  root = join(top, "ws");
  origin = join(root, "origin");
  mkdirSync(join(origin, "src/deep/er"), { recursive: true });
  writeFileSync(join(origin, "src/deep/er/a.py"), "print(1)\n".repeat(10));
  writeFileSync(join(origin, "src/b.go"), "package b\n");
  writeFileSync(join(origin, "README.md"), "# Origin\n");
  for (const name of SETTINGS) writeFileSync(join(origin, name), "* text=auto\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: origin });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("tag", "v1");
  workspace = await openWorkspace({ roots: [root], sidecars: join(top, "kept") });
  session = await createSession({
    ...workspace.sessionOptions(),
    tools: codeTools(),
    policy: ALLOW,
  });
});
afterAll(async () => {
  await session.close();
  await workspace.close();
  rmSync(top, { recursive: true });
});

function call(name: string, args: object, within = session): Promise<ToolResult> {
  calls += 1;
  return within.call({ id: `c${calls}`, name, arguments: { ...args } });
}

describe("[C55] repo_clone", () => {
  test("brings a repository into a new folder of the workspace", async () => {
    const result = await call("repo_clone", {
      url: `file://${origin}`,
      folder: "copies/one",
      ref: "v1",
      depth: 1,
    });
    expect(modelText(result)).toBe(`Cloned file://${origin} into copies/one.`);
    expect(readFileSync(join(root, "copies/one/README.md"), "utf8")).toBe("# Origin\n");
  });

  test("brings the settings of the repository with its files", async () => {
    const result = await call("repo_clone", { url: `file://${origin}`, folder: "copies/whole" });
    expect(modelText(result)).toBe(`Cloned file://${origin} into copies/whole.`);
    for (const name of SETTINGS) expect(existsSync(join(root, "copies/whole", name))).toBe(true);
  });

  test("takes the name of the repository where no folder is named, and says what git says if it is there", async () => {
    const named = join(root, "named.git");
    execFileSync("git", ["clone", "-q", "--bare", origin, named]);
    expect(modelText(await call("repo_clone", { url: named }))).toBe(`Cloned ${named} into named.`);
    const again = await call("repo_clone", { url: named });
    expect(again.ok).toBe(false);
    expect(modelText(again)).toContain("already exists");
  });

  test("runs no program that an address names, and takes no option for an address", async () => {
    const trap = join(root, "ran");
    for (const url of [`ext::sh -c "touch ${trap}"`, `--upload-pack=touch ${trap}`, "fd::17"])
      expect(await call("repo_clone", { url, folder: "x" })).toMatchObject({ ok: false });
    expect(existsSync(trap)).toBe(false);
  });

  test("stays in the workspace", async () => {
    const outside = "/opt/toolkeep-outside";
    const result = await call("repo_clone", { url: `file://${origin}`, folder: outside });
    expect(result.ok).toBe(false);
    expect(existsSync(outside)).toBe(false);
  });

  test("asks under the recommended policy before it contacts a host", async () => {
    await using careful = await createSession({
      ...workspace.sessionOptions(),
      tools: codeTools(),
      policy: RECOMMENDED_POLICY,
    });
    const result = await call("repo_clone", { url: "https://git.example/a/b.git" }, careful);
    expect(result).toMatchObject({ ok: false, failure: { code: "denied" } });
  });
});

test("git init makes a repository in the sandbox", async () => {
  const folder = join(root, "fresh");
  mkdirSync(folder);
  const result = await call("git", { action: "init", workdir: folder });
  expect(modelText(result)).toContain("Initialized empty Git repository");
  expect(readFileSync(join(folder, ".git/HEAD"), "utf8")).toContain("ref: refs/heads/");
});

describe("a repository that is made while another command runs", () => {
  const meanwhile = async (name: string, command: string) => {
    const folder = join(root, name);
    mkdirSync(folder);
    const background = standardTools({ background: true });
    await using other = await createSession({
      ...workspace.sessionOptions(),
      tools: background,
      policy: ALLOW,
    });
    const waiting = `until [ -e ${name}/go ]; do sleep 0.05; done; ${command}`;
    const { data } = await call("bash_start", { command: waiting }, other);
    expect(await call("git", { action: "init", workdir: folder })).toMatchObject({ ok: true });
    writeFileSync(join(folder, "go"), "");
    const { id } = data as { readonly id: string };
    const ended = await call("bash_output", { id, wait: 20_000 }, other);
    expect(ended.data).toMatchObject({ status: "ended" });
    return existsSync(join(folder, ".git"));
  };

  test("stays when that ends", async () => {
    expect(await meanwhile("kept-one", "true")).toBe(true);
  });

  test("is taken away if that planted a hook in it", async () => {
    writeFileSync(join(root, "plant.sh"), "mkdir .git/hooks; echo true > .git/hooks/pre-commit\n");
    expect(await meanwhile("planted", "cd planted && sh ../plant.sh")).toBe(false);
  });
});

describe("[C55] repo_overview", () => {
  test("tells folders, languages by size and the files at the top", async () => {
    const result = await call("repo_overview", { path: "origin", depth: 2 });
    expect(result.data).toMatchObject({
      files: 3,
      languages: [
        { name: "Python", files: 1, bytes: 90 },
        { name: "Go", files: 1, bytes: 10 },
        { name: "Markdown", files: 1 },
      ],
      folders: [
        { name: "src/", files: 2 },
        { name: "src/deep/", files: 1 },
      ],
      top: ["README.md"],
      truncated: false,
    });
    expect(modelText(result)).toContain("  src/deep/ (1 file)");
  });

  test("of an empty folder says that there is nothing", async () => {
    mkdirSync(join(root, "empty"));
    const result = await call("repo_overview", { path: "empty" });
    expect(modelText(result)).toBe("0 files, 0 bytes");
  });
});

test("every tool for code is there once", () => {
  const names = codeTools().map(({ name }: Tool) => name);
  expect(new Set(names).size).toBe(names.length);
});
