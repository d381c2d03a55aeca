import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import type { ContainedOutcome, Sandbox } from "@toolkeep/core/ports";
import { openWorkspace } from "@toolkeep/node";
import { bashTool } from "../../../packages/tools/src/shell/bash-tool.ts";

/** One way to run command lines in a folder. */
export interface Way extends AsyncDisposable {
  readonly name: "bare" | "sandboxed" | "contained";
  /** @throws unless the line succeeds, and all that it did is kept. */
  run(line: string): Promise<void>;
}

const BASH = ["/usr/bin/bash", "--noprofile", "--norc", "-c"] as const;

/** As the user runs it, without us. */
export function bareWay(folder: string): Way {
  return {
    name: "bare",
    async run(line) {
      const [program, ...args] = BASH;
      const child = spawn(program, [...args, line], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text: Buffer) => {
          output += text.toString();
        });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${output}`);
    },
    async [Symbol.asyncDispose]() {},
  };
}

interface Opening {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly sidecars: string;
  /** Whether not everything has to be kept. */
  readonly mayHold?: boolean | undefined;
}

/** By the tool `bash` of a workspace: in the sandbox, or contained. */
export async function ourWay(name: "sandboxed" | "contained", opening: Opening): Promise<Way> {
  const { folder, sandbox, sidecars } = opening;
  const outcomes: ContainedOutcome[] = [];
  const onOutcome = (one: ContainedOutcome) => void outcomes.push(one);
  const contain = { commands: "all", onOutcome } as const;
  const workspace = await openWorkspace({
    ...{ roots: [folder], sandbox, sidecars: join(sidecars, name) },
    ...(name === "contained" ? { contain } : {}),
  });
  const session = await createSession({
    ...workspace.sessionOptions(),
    tools: [bashTool()],
    policy: { rules: [{ permission: "*", action: "allow" }], builtIn: "off" },
    limits: { timeoutMs: 600_000 },
  });
  let calls = 0;
  return {
    name,
    async run(line) {
      outcomes.length = 0;
      const args = { command: line, timeout: 600_000 };
      const result = await session.call({ id: `c${++calls}`, name: "bash", arguments: args });
      const { exitCode } = (result.data ?? {}) as { readonly exitCode?: number };
      if (!result.ok || exitCode !== 0)
        throw new Error(`${line}: ${result.failure?.message ?? JSON.stringify(result.data)}`);
      if (name === "sandboxed") return;
      const [outcome] = outcomes;
      if (outcome === undefined) throw new Error(`${line} did not run contained`);
      const { held, refused } = outcome;
      const rest = JSON.stringify({ held: held.slice(0, 3), refused });
      if (held.length + refused.length > 0 && opening.mayHold !== true) throw new Error(`${line}: ${rest}`);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace.close();
    },
  };
}
