import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession, type SessionOptions, type Tool, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { noSandbox, openWorkspace, pdfReader } from "@toolkeep/node";
import { editTool } from "../../packages/tools/src/files/edit-tool.ts";
import { listTool } from "../../packages/tools/src/files/list-tool.ts";
import { readTool } from "../../packages/tools/src/files/read-tool.ts";
import { writeTool } from "../../packages/tools/src/files/write-tool.ts";
import { ALLOW } from "../scenario.ts";

export function fileTools(): readonly Tool[] {
  return [readTool({ pdf: pdfReader() }), writeTool(), editTool(), listTool()] as readonly Tool[];
}

/** A real folder with real I/O, and sessions with the file tools. */
export async function openFileBench() {
  const top = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-files-")));
  const root = join(top, "workspace");
  await mkdir(root);
  // No command runs here.
  const workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars: join(top, "kept") });
  const session = (options: Partial<SessionOptions> = {}) =>
    createSession({ ...workspace.sessionOptions(), tools: fileTools(), policy: ALLOW, ...options });
  let calls = 0;
  const first = await session();
  return {
    top,
    root,
    workspace,
    session,
    at: (path: string) => join(root, path),
    async put(path: string, content: string | Uint8Array) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    text: (path: string) => readFile(join(root, path), "utf8"),
    bytes: async (path: string) => new Uint8Array(await readFile(join(root, path))),
    call(name: string, args: Readonly<Record<string, unknown>>, within = first): Promise<ToolResult> {
      calls += 1;
      return within.call({ id: `c${calls}`, name, arguments: args });
    },
    /** What the model is shown. */
    async said(name: string, args: Readonly<Record<string, unknown>>, within = first): Promise<string> {
      return modelText(await this.call(name, args, within));
    },
    async close() {
      await first.close();
      await workspace.close();
      await rm(top, { recursive: true, force: true });
    },
  };
}

export type FileBench = Awaited<ReturnType<typeof openFileBench>>;
