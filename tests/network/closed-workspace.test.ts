import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeSandboxRuntime, probeSandbox, sandboxRuntime } from "@toolkeep/node/internal";
import { afterAll, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";

const { isolation } = await probeSandbox(sandboxRuntime());
const reason = isolation === "none" ? ": skipped, sandbox-runtime does not work here" : "";
await closeSandboxRuntime();

const root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-closed-")));
if (process.getuid?.() === 0) chownSync(root, 12_345, 12_345);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program that uses a workspace and closes it; nothing else ends it. */
const PROGRAM = `
import { openSandbox, openWorkspace } from "@toolkeep/node";
import { sandboxRuntime } from "@toolkeep/node/internal";
import { bashTool } from "@toolkeep/tools/internal";
const sandbox = await openSandbox({ prefer: [sandboxRuntime()] });
const workspace = await openWorkspace({ roots: [${JSON.stringify(root)}], sandbox });
const session = await workspace.createSession({ tools: [bashTool()], policy: { mode: "yolo" } });
const { data } = await session.call({ id: "1", name: "bash", arguments: { command: "echo ran" } });
console.log(data.output);
await session.close();
await workspace.close();
`;

test.skipIf(reason !== "")(
  `a program ends after it has closed its workspace, with sandbox-runtime too${reason}`,
  async () => {
    const child = spawn(process.execPath, [...FROM_SOURCE, "--input-type=module", "-e", PROGRAM], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 60_000,
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    const [code] = await once(child, "close");
    expect(output.trim()).toBe("ran");
    expect(code).toBe(0);
  },
);
