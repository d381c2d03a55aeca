import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRegistry, type Session } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { bashTool, globTool, grepTool, listTool, readTool, webFetchTool } from "@toolkeep/tools/internal";
import { afterEach, beforeEach, expect, test } from "vitest";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-marks-")));
  mkdirSync(join(base, "ws/src"), { recursive: true });
  writeFileSync(join(base, "ws/src/a.ts"), "TODO");
  writeFileSync(join(base, "ws/.env"), "PASSWORD=hunter2");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function inSession(play: (session: Session) => Promise<void>): Promise<void> {
  const sidecars = join(base, "sidecars");
  const workspace = await openWorkspace({ roots: [join(base, "ws")], sandbox: noSandbox(), sidecars });
  const registry = createRegistry();
  const tools = [grepTool(), globTool(), listTool(), readTool(), webFetchTool(), bashTool()];
  for (const tool of tools) registry.register(tool);
  const approver = { approve: async () => ({ verdict: "once" as const }) };
  const session = await workspace.createSession({ registry, policy: RECOMMENDED_POLICY, approver });
  try {
    await play(session);
  } finally {
    await session.close();
    await workspace.close();
  }
}

const call = (session: Session, name: string, args: object) =>
  session.call({ id: crypto.randomUUID(), name, arguments: { ...args } });

async function fetching(session: Session): Promise<string | undefined> {
  const args = { url: "https://nodejs.org/api/" };
  return (await session.explain({ id: "x", name: "web_fetch", arguments: args })).explanation?.decision
    .action;
}

test("documentation is read without asking after searches that leave out secrets", async () => {
  await inSession(async (session) => {
    const found = await call(session, "grep", { pattern: "TODO|PASSWORD" });
    expect(JSON.stringify(found.content)).not.toContain("hunter2");
    await call(session, "glob", { pattern: "**/*" });
    await call(session, "list", {});
    await call(session, "bash", { command: "grep -rn TODO src" });
    expect(await fetching(session)).toBe("allow");
  });
});

test.each([
  ["read", { path: ".env" }],
  ["grep", { pattern: "PASSWORD", path: ".env" }],
  ["bash", { command: "grep -r PASSWORD ." }],
  ["bash", { command: "find . -type f -exec cat {} +" }],
])("%s of a secret marks the session", async (name, args) => {
  await inSession(async (session) => {
    await call(session, name, args);
    expect(await fetching(session)).toBe("ask");
  });
});
