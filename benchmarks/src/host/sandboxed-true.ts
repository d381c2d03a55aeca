import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Duplex } from "node:stream";
import type { SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { bubblewrapSandbox } from "@toolkeep/node";
import { closeSandboxRuntime, sandboxRuntime } from "@toolkeep/node/internal";
import { progress } from "../report.ts";
import { alternatingRounds, type SlowTask } from "./alternating-rounds.ts";
import { benchFolder, withIo } from "./with-io.ts";

const TRUE = ["/usr/bin/true"] as const;
const BARE = [
  "/usr/bin/bwrap",
  "--unshare-all",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
] as const;

/** `true` without a sandbox, in a minimal bwrap, in our sandbox, and in sandbox-runtime. */
export async function sandboxedTrue(rounds: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const folder = benchFolder();
  // `true` changes nothing, so the profile allows no changes.
  const profile: SandboxProfile = {
    read: [folder.path],
    write: [],
    guarded: [],
    hidden: [],
    hosts: [],
    environment: { PATH: "/usr/bin:/bin" },
    cwd: folder.path,
  };
  const ours = bubblewrapSandbox();
  const theirs = sandboxRuntime();
  try {
    return await withIo(folder.path, [TRUE], (io) => {
      const tasks: SlowTask[] = [
        { name: "no sandbox", run: () => ended({ argv: TRUE, environment: {}, cwd: "/" }) },
        { name: "bare bwrap", run: () => ended({ argv: [...BARE, ...TRUE], environment: {}, cwd: "/" }) },
        { name: "our sandbox", run: async () => ended(await ours.wrap(TRUE, profile)) },
        {
          name: "our sandbox, with a writable folder",
          run: async () => ended(await ours.wrap(TRUE, { ...profile, write: [folder.path] })),
        },
        { name: "a whole command of a tool", run: () => io.commands.run({ argv: TRUE }) },
        { name: "sandbox-runtime", run: async () => ended(await theirs.wrap(TRUE, profile)) },
      ];
      return measured(tasks, rounds);
    });
  } finally {
    // The proxy of sandbox-runtime would keep this process alive.
    await closeSandboxRuntime();
    folder.remove();
  }
}

/** Reports a sandbox that does not run here, and skips it. */
async function measured(tasks: readonly SlowTask[], rounds: number) {
  const running: SlowTask[] = [];
  for (const task of tasks) {
    try {
      await task.run();
      running.push(task);
    } catch (error) {
      progress(`skipped ${task.name}: ${(error as Error).message}`);
    }
  }
  return alternatingRounds(running, rounds);
}

async function ended({ argv, environment, cwd, user, namespace, done }: SandboxedCommand): Promise<void> {
  const [program, ...args] = argv;
  const copied = (namespace?.copied ?? []).map((path) => openSync(path, "r"));
  const files = namespace === undefined ? [] : (["pipe", "pipe", "ignore", ...copied] as const);
  const stdio: StdioOptions = ["ignore", "ignore", "ignore", ...files];
  const child = spawn(program, args, { env: environment, cwd, stdio, ...user });
  for (const file of copied) closeSync(file);
  const [, , , report, filter] = child.stdio as unknown as (Duplex | null | undefined)[];
  // `true` needs the filter of the sandbox, but not its report.
  report?.resume();
  filter?.resume().end(Buffer.from(namespace?.filter ?? "", "base64"));
  const [code] = await once(child, "exit");
  await done?.();
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
