import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, defineTool, type Io } from "@toolkeep/core";
import { shellRun } from "@toolkeep/core/internal";
import { openSandbox, openWorkspace } from "@toolkeep/node";

const ORDINARY = 12_345;

/** A temporary folder in which commands can run, also for root. */
export function benchFolder(): { readonly path: string; remove(): void } {
  const base = mkdtempSync(join(tmpdir(), "toolkeep-bench-"));
  const path = join(base, "ws");
  mkdirSync(path);
  chmodSync(base, 0o711);
  if (process.getuid?.() === 0) chownSync(path, ORDINARY, ORDINARY);
  return { path, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** Runs a function with the I/O of a call that may read and change a folder and run some commands. */
export async function withIo<Outcome>(
  folder: string,
  commands: readonly (readonly [string, ...string[]])[],
  use: (io: Io) => Promise<Outcome>,
): Promise<Outcome> {
  const workspace = await openWorkspace({
    roots: [folder],
    sandbox: await openSandbox(),
    sidecars: join(folder, "../sidecars"),
  });
  let outcome: { readonly value: Outcome } | undefined;
  const tool = defineTool({
    name: "bench",
    description: "Runs a measurement.",
    inputSchema: { type: "object" },
    requires: { fs: { read: ["{workspace}/**"], write: ["{workspace}/**"] }, capabilities: ["shell.run"] },
    effects: () => [
      { capability: "fs.read", target: `${folder}/**` },
      ...commands.map((argv) => shellRun(argv)),
    ],
    async execute(_args, ctx) {
      outcome = { value: await use(ctx.io) };
      return "done";
    },
  });
  const session = await createSession({
    ...workspace.sessionOptions(),
    tools: [tool],
    policy: { rules: [{ permission: "*", action: "allow" }], builtIn: "off" },
    limits: { timeoutMs: 600_000 },
  });
  const result = await session.call({ id: "c", name: "bench", arguments: {} });
  await session.close();
  await workspace.close();
  if (outcome === undefined) throw new Error(`the measurement failed: ${result.failure?.message}`);
  return outcome.value;
}
