import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import { endNamespace } from "../../packages/node/src/processes/process-tree.ts";
import { spawnCommand } from "../../packages/node/src/processes/spawn-command.ts";

export interface SandboxedRun {
  readonly exitCode: number | null;
  readonly output: string;
  /** What `done` said, if it did not pass. */
  readonly complaint: string | undefined;
  /** Processes that the command left, by their words. */
  readonly survivors: readonly string[];
}

/** Runs a sandboxed command to its end or its time limit, then calls the callback. */
export async function runSandboxed(
  command: SandboxedCommand,
  longestMs = 30_000,
  /** Whether nothing else runs in the jail, so that what is left is of the command. */
  { isAlone = true }: { readonly isAlone?: boolean } = {},
): Promise<SandboxedRun> {
  const { child, init } = spawnCommand(command, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  const collect = (chunk: Buffer) => {
    if (output.length < 1_000_000) output += chunk.toString("latin1");
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  clearTimeout(timer);
  // What outlives it may hold its output open for ever.
  const closed = child.stdout?.closed || new Promise((resolve) => child.once("close", resolve));
  await Promise.race([closed, wait(200)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const first = await init;
  if (first !== undefined) await endNamespace(first);
  const complaint = await command.done?.({ exitCode }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { exitCode, output, complaint, survivors: isAlone ? await childrenLeft() : [] };
}

/** All processes in the jail except ours and those of the jail itself. The kernel takes a moment to end a tree. */
async function childrenLeft(): Promise<readonly string[]> {
  for (let tries = 0; ; tries += 1) {
    const left = processes().filter(
      (words) => words !== "" && !/outer-jail|bwrap --ro-bind|sandbox-attacks/.test(words),
    );
    if (left.length === 0 || tries === 40) return left;
    await wait(25);
  }
}

function processes(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });
}
