import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type SessionOptions, type Tool, type ToolCall } from "@toolkeep/core";
import { openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { ALLOW } from "../scenario.ts";

/** Commands never run as root: where root runs the tests, the folder belongs to somebody else. */
const ORDINARY = 12_345;

/** A workspace of its own with real hands and real walls. */
export async function commandBench(options: Partial<WorkspaceOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-commands-")));
  if (process.getuid?.() === 0) chownSync(root, ORDINARY, ORDINARY);
  const sidecars = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-sidecars-")));
  const workspace = await openWorkspace({ roots: [root], sidecars, ...options });
  return {
    root,
    workspace,
    /** What a session in this workspace is made of; everything is allowed unless it says otherwise. */
    session(tools: readonly Tool[], more: SessionOptions = {}) {
      const policy = more.policy === undefined && more.policy === undefined ? { rules: ALLOW } : {};
      return createSession({ ...workspace.session(), tools, ...policy, ...more });
    },
    async close() {
      await workspace.close();
      for (const folder of [root, sidecars]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function request(name: string, args: ToolCall["arguments"], id = "c1"): ToolCall {
  return { id, name, arguments: args };
}
