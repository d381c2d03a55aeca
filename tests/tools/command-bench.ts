import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type SessionOptions, type Tool, type ToolCall } from "@toolkeep/core";
import { openWorkspace, type WorkspaceOptions } from "@toolkeep/node";
import { ALLOW } from "../scenario.ts";

/** Commands never run as root: if root runs the tests, another user owns the folder. */
const ORDINARY = 12_345;

/** A temporary workspace with real I/O and a real sandbox. */
export async function commandBench(options: Partial<WorkspaceOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-commands-")));
  if (process.getuid?.() === 0) chownSync(root, ORDINARY, ORDINARY);
  const sidecars = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-sidecars-")));
  const workspace = await openWorkspace({ roots: [root], sidecars, ...options });
  return {
    root,
    workspace,
    /** Options of a session in this workspace; everything is allowed by default. */
    session(tools: readonly Tool[], more: SessionOptions = {}) {
      return createSession({ ...workspace.sessionOptions(), tools, policy: ALLOW, ...more });
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
