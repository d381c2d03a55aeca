import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import type { Sandbox } from "@toolkeep/core/ports";
import { openWorkspace } from "@toolkeep/node";
import { bashTool, grepTool, readTool } from "@toolkeep/tools/internal";
import { expect } from "vitest";
import type { Check } from "./outcomes.ts";
import { type Attack, CANARY, rulesOf } from "./record.ts";

/** Attacks that only real tools in a real sandbox can answer. */
export const REAL_CHECKS: Readonly<Record<string, Check>> = {
  /** The `git` of the workspace is not the one that runs. */
  async D015(attack) {
    const result = await playReally(attack);
    expect(modelText(result)).not.toContain("PWNED");
    const where = await playReally({ ...attack, input: { command: "command -v git" } }, ALLOW);
    expect(modelText(where)).toMatch(/^\/usr\/(?:local\/)?bin\/git/);
  },
  async D026(attack) {
    const unavailable: Sandbox = {
      name: "missing",
      isolation: "none",
      wrap: () => Promise.reject(new Error("there is no sandbox")),
    };
    const result = await playReally(attack, ALLOW, unavailable);
    expect(result.ok).toBe(false);
  },
  async K001(attack) {
    const result = await playReally(attack, ALLOW);
    expect(modelText(result)).toContain("PATH=");
    expect(modelText(result)).not.toContain("API_KEY");
  },
  async K002(attack) {
    const result = await playReally(attack, ALLOW);
    expect(modelText(result)).toContain("HOME=");
    expect(JSON.stringify(result)).not.toContain("API_KEY");
    expect(JSON.stringify(result)).not.toContain(CANARY);
  },
  async K007(attack) {
    const result = await playReally(attack, ALLOW);
    expect(result.ok).toBe(true);
    expect(JSON.stringify(result)).not.toContain("API_KEY");
  },
  async U016(attack) {
    const text = modelText(await playReally(attack, ALLOW));
    expect(text).toContain("\\x1b[2J\\x1b]0;x\\x07");
    expect(text).not.toContain("\u001b");
  },
  async U018(attack) {
    const text = modelText(await playReally(attack, ALLOW));
    expect(text).toContain("hello<U+E0069><U+E0067>");
  },
};

const ALLOW: Attack["setup"] = { rules: [["*", "**", "allow"]] };

/** Plays an attack in a workspace of its own, with a person who says yes to whatever asks. */
async function playReally(
  { tool, input, setup }: Attack,
  { rules }: Attack["setup"] = setup,
  sandbox?: Sandbox,
): Promise<ToolResult> {
  const base = mkdtempSync(join(tmpdir(), "attack-"));
  const root = join(base, "ws");
  mkdirSync(root);
  chmodSync(base, 0o711);
  for (const [path, content] of Object.entries(setup.files ?? {})) {
    const place = path.replace("/ws", root);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content, { mode: 0o755 });
  }
  if (process.getuid?.() === 0) chownSync(root, 12_345, 12_345);
  const workspace = await openWorkspace({
    roots: [root],
    sidecars: join(base, "sidecars"),
    environment: { values: { API_KEY: CANARY } },
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  const session = await workspace.createSession({
    tools: [bashTool(), readTool(), grepTool()],
    policy: rulesOf({ rules: rules ?? [] }),
    approver: async () => ({ verdict: "once" }),
  });
  try {
    return await session.call({ id: "c", name: tool, arguments: input });
  } finally {
    await session.close();
    await workspace.close();
    rmSync(base, { recursive: true, force: true });
  }
}
