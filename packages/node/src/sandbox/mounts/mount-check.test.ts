import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "../bubblewrap/bubblewrap.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import { run, type SandboxedWorkspace, sandboxedWorkspace } from "../testing/sandboxed-workspace.test.kit.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
});

function at(name: string): string {
  return join(workspace.path, name);
}

function sandboxed(line: string) {
  const sandbox = bubblewrapSandbox({ protection: { quarantine: workspace.quarantine } });
  return sandbox.wrap(["/bin/bash", "-c", line], workspace.profile());
}

describe.skipIf(isolation === "none")(`a folder that is swapped after it was looked at${reason}`, () => {
  test("for a link brings nothing in, and nothing is run", async () => {
    workspace.write({ "sub/.vscode/settings.json": "{}" });
    const elsewhere = join(workspace.folder, "elsewhere");
    mkdirSync(elsewhere);
    workspace.write({ "../elsewhere/key": "PRIVATE" });
    const command = await sandboxed("cat sub/.vscode/key; echo ran");
    renameSync(at("sub"), at("sub2"));
    mkdirSync(at("sub"));
    symlinkSync(elsewhere, at("sub/.vscode"));
    const { output, exitCode } = await run(command);
    expect(output).toMatch(/the command was not run|bwrap:/);
    expect(output).not.toMatch(/PRIVATE|^ran$/m);
    expect(exitCode).not.toBe(0);
  });

  test("uncovers no secret that was in it", async () => {
    workspace.write({ "sub/id_rsa": "PRIVATE", "other/id_rsa": "decoy" });
    const command = await sandboxed("cat moved/id_rsa sub/id_rsa");
    renameSync(at("sub"), at("moved"));
    symlinkSync("other", at("sub"));
    const { output, exitCode } = await run(command);
    expect(output).toMatch(/the command was not run|bwrap:/);
    expect(output).not.toMatch(/PRIVATE/);
    expect(exitCode).not.toBe(0);
  });

  test("for another folder is not what was meant either", async () => {
    workspace.write({ "sub/.vscode/settings.json": "{}", "other/key": "x" });
    const command = await sandboxed("echo ran");
    rmSync(at("sub"), { recursive: true });
    symlinkSync("other", at("sub"));
    mkdirSync(at("other/.vscode"));
    const { output } = await run(command);
    expect(output).not.toMatch(/^ran$/m);
  });
});

test.skipIf(isolation === "none")(
  `names with blanks and signs are found as they were meant${reason}`,
  async () => {
    workspace.write({ "a b\\c\td/.vscode/settings.json": "{}", "ünï/.git/config": "", "[x]*/.bashrc": "" });
    const { output } = await run(await sandboxed("echo ran; echo x > 'a b\\c\td/.vscode/settings.json'"));
    expect(output).toMatch(/^ran$/m);
    expect(output).toMatch(/Read-only file system/);
  },
);

test("if nothing is in a folder that can be changed, nothing needs to be checked", async () => {
  workspace.write({ "a.txt": "" });
  const args = (await sandboxed("true")).argv;
  expect(args.slice(args.indexOf("--") + 1)).toEqual(["/bin/bash", "-c", "true"]);
});
