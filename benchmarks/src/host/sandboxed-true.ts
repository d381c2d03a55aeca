import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { bubblewrap } from "@toolkeep/node";
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

/** `true` with nothing around it, within the smallest bwrap there can be, within ours, and within sandbox-runtime's. */
export async function sandboxedTrue(rounds: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const folder = benchFolder();
  // `true` changes nothing, so that is what its walls are like.
  const profile: SandboxProfile = {
    read: [folder.path],
    write: [],
    guarded: [],
    hidden: [],
    hosts: [],
    environment: { PATH: "/usr/bin:/bin" },
    cwd: folder.path,
  };
  const ours = bubblewrap();
  const theirs = sandboxRuntime();
  try {
    return await withIo(folder.path, [TRUE], (io) => {
      const tasks: SlowTask[] = [
        { name: "no walls", run: () => ended({ argv: TRUE, environment: {}, cwd: "/" }) },
        { name: "bare bwrap", run: () => ended({ argv: [...BARE, ...TRUE], environment: {}, cwd: "/" }) },
        { name: "our walls", run: async () => ended(await ours.wrap(TRUE, profile)) },
        {
          name: "our walls, around a folder that may be changed",
          run: async () => ended(await ours.wrap(TRUE, { ...profile, write: [folder.path] })),
        },
        { name: "a whole command of a tool", run: () => io.commands.run({ argv: TRUE }) },
        { name: "sandbox-runtime", run: async () => ended(await theirs.wrap(TRUE, profile)) },
      ];
      return measured(tasks, rounds);
    });
  } finally {
    // Its proxy would keep this process alive.
    await closeSandboxRuntime();
    folder.remove();
  }
}

/** A sandbox that does not run here is left out, and that is said. */
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
  const files = namespace?.filter === undefined ? [] : (["pipe", "pipe"] as const);
  const stdio: StdioOptions = ["ignore", "ignore", "ignore", ...files];
  const child = spawn(program, args, { env: environment, cwd, stdio, ...user });
  const [, , , report, filter] = child.stdio as unknown as (Duplex | null | undefined)[];
  // What the sandbox reports is of no use for `true`, which leaves nothing behind; its filter is.
  report?.resume();
  filter?.resume().end(Buffer.from(namespace?.filter ?? "", "base64"));
  const [code] = await once(child, "exit");
  await done?.();
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
