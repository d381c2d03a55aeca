import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { alternatingRounds } from "./alternating-rounds.ts";
import { benchFolder, withIo } from "./with-io.ts";

/** A command that writes many bytes: to a file by the shell, to a file in bare bwrap, and to the output of a tool's command. */
export async function commandOutput(
  rounds: number,
  bytes: number,
): Promise<{ readonly times: ReadonlyMap<string, readonly number[]>; readonly grownMegabytes: number }> {
  const folder = benchFolder();
  const argv = ["/usr/bin/head", "-c", String(bytes), "/dev/zero"] as const;
  const target = join(folder.path, "../poured");
  const line = `exec ${argv.join(" ")} > ${target}`;
  const bwrap = [
    "--unshare-all",
    "--bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "/bin/sh",
    "-c",
    line,
  ];
  try {
    return await withIo(folder.path, [argv], async (io) => {
      const before = process.memoryUsage.rss();
      const times = await alternatingRounds(
        [
          { name: "to a file by the shell", run: () => ended("/bin/sh", ["-c", line]) },
          { name: "to a file in bare bwrap", run: () => ended("/usr/bin/bwrap", bwrap) },
          {
            name: "stored by a tool's command",
            async run() {
              const { output } = await io.commands.run({ argv, keepBytes: 200_000 });
              if (output?.size !== bytes) throw new Error(`${output?.size} bytes were kept`);
            },
          },
        ],
        rounds,
      );
      return { times, grownMegabytes: (process.memoryUsage.rss() - before) / 1e6 };
    });
  } finally {
    folder.remove();
  }
}

async function ended(program: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, args, { stdio: "ignore", env: {} }), "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
