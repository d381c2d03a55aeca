import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { connect } from "../../packages/mcp/src/connection/connect.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const hasProc = process.platform === "linux";

test.skipIf(!hasProc)(
  "a published server that npx starts is used, and nothing of it is left behind (looks into /proc, so on Linux alone)",
  async () => {
    const connection = connect({
      ...{ kind: "stdio", name: "everything", command: "npx", env: {}, isOfProject: false },
      ...{ args: ["--no-install", "mcp-server-everything", "stdio"], cwd: REPOSITORY },
    });
    try {
      await connection.tried;
      expect(connection.status).toMatchObject({ state: "ready" });
      expect((await connection.listTools()).length).toBeGreaterThan(5);
      const signal = AbortSignal.timeout(60_000);
      const { content } = await connection.call({ tool: "echo", arguments: { message: "hi" }, signal });
      expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("hi") }]);
      const family = descendants();
      expect(family.length).toBeGreaterThan(1);
      await connection.close();
      expect(family.filter(isRunning)).toEqual([]);
    } finally {
      await connection.close();
    }
  },
);

/** Everything that came from this process. */
function descendants(): readonly number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const found = new Set([process.pid]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const pid of pids) if (found.has(statOf(pid).parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found].filter((pid) => !isGuard(pid));
}

/** It ends by itself, right after what it watches over. */
function isGuard(pid: number): boolean {
  return readText(`/proc/${pid}/cmdline`).includes("toolkeep-guard");
}

function isRunning(pid: number): boolean {
  return !["", "Z", "X"].includes(statOf(pid).state);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } {
  const text = readText(`/proc/${pid}/stat`);
  const [state = "", parent = "0"] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: text === "" ? "" : state, parent: Number(parent) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
