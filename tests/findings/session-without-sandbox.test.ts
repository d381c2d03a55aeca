import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRegistry } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import type { IsolationLevel } from "@toolkeep/core/ports";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { bashTool } from "@toolkeep/tools/internal";
import { afterEach, beforeEach, expect, test } from "vitest";

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-open-")));
  root = join(base, "ws");
  for (const path of ["src/a.ts", ".env", "src/bare/HEAD", "src/bare/objects/x", "src/bare/refs/x"])
    put(path);
  writeFileSync(join(base, "diary.txt"), "x");
  symlinkSync("..", join(root, "assets"));
  execFileSync("git", ["init", "-q", "."], { cwd: root });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), "x");
}

/** What the policy says of commands in a session whose sandbox claims this; nothing is run. */
async function decisions(isolation: IsolationLevel, calls: readonly { command: string; workdir?: string }[]) {
  const sandbox = { ...noSandbox(), isolation };
  const workspace = await openWorkspace({ roots: [root], sandbox, sidecars: join(base, "sidecars") });
  const registry = createRegistry();
  registry.register(bashTool());
  const session = await workspace.createSession({ registry, policy: RECOMMENDED_POLICY });
  try {
    const said: (string | undefined)[] = [];
    for (const args of calls) {
      const { explanation } = await session.explain({ id: "x", name: "bash", arguments: { ...args } });
      said.push(explanation?.decision.action);
    }
    return said;
  } finally {
    await session.close();
    await workspace.close();
  }
}

const attacks = () => [
  { command: "git status", workdir: join(root, "src/bare") },
  { command: "grep -rn x ." },
  { command: "cat ./.en*" },
];

test("[attack 04] [attack 18] a session without a sandbox looks at the disk as the hook does", async () => {
  expect(await decisions("none", attacks())).toEqual(["ask", "ask", "ask"]);
  expect(await decisions("none", [{ command: "git status" }, { command: "grep -rn x src" }])).toEqual([
    "allow",
    "allow",
  ]);
});

test("[attack 05] where a link leads out, nothing of it is allowed unasked", async () => {
  expect(await decisions("none", [{ command: "cat assets/diary.txt" }])).not.toContain("allow");
});

test("with a sandbox the same lines stay free: it shows a command what it may see", async () => {
  const sandboxed = attacks().slice(0, 2);
  expect(await decisions("files-and-network", sandboxed)).toEqual(["allow", "allow"]);
});
