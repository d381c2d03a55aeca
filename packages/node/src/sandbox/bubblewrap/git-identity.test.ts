import { accessSync, constants, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "../testing/sandboxed-workspace.test.kit.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { gitIdentity } from "./git-identity.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const isRunnable = isolation !== "none" && canMakeHome();
const reason = isRunnable ? "" : ": skipped, no sandbox works here, or no home can be made";

/** In a folder for temporary files there is no home of a command's own. */
function canMakeHome(): boolean {
  try {
    accessSync(homedir(), constants.W_OK);
    return !/^\/(?:(?:var\/)?tmp|usr|etc|dev|proc)(?:\/|$)/.test(realpathSync(homedir()));
  } catch {
    return false;
  }
}

let workspace: SandboxedWorkspace;
let home: string;

beforeEach(() => {
  workspace = sandboxedWorkspace();
  home = mkdtempSync(join(realpathSync(homedir()), ".toolkeep-home-"));
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n[credential]\n\thelper = store\n");
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function profile() {
  return workspace.profile({ environment: { PATH: "/usr/bin:/bin", HOME: home } });
}

async function outputOf(line: string): Promise<string> {
  return (await runLine(bubblewrapSandbox(), line, profile())).output;
}

describe.runIf(isRunnable)(`a home in memory${reason}`, () => {
  test("has the user's name for git, and the command may add to it", async () => {
    const line = "git config --global user.email ada@example.com; cat ~/.gitconfig; ls -A ~";
    expect(await outputOf(line)).toBe('[user]\n\tname = "Ada"\n\temail = ada@example.com\n.gitconfig\n');
  });

  test("is given none where the user's own settings of git are mounted", async () => {
    const identity = gitIdentity("git");
    const own = { path: join(home, ".gitconfig"), as: "readable" } as const;
    expect(await identity(profile(), [own])).toBeUndefined();
    expect(await identity(profile(), [])).toBeDefined();
  });

  test("starts no shell for it", async () => {
    const { argv, namespace, done } = await bubblewrapSandbox().wrap(["/usr/bin/true"], profile());
    expect(argv.slice(argv.indexOf("--") + 1)).toEqual(["/usr/bin/true"]);
    expect(namespace?.settings).toBe('[user]\n\tname = "Ada"\n');
    await done?.();
  });

  test("leaves no file open that the settings were read from", async () => {
    expect(await outputOf("ls -l /proc/self/fd")).not.toMatch(/toolkeep-filter|deleted/);
  });
});
