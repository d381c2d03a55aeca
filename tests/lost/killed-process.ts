import { spawn } from "node:child_process";
import { copyFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import type { Stage } from "./stage.ts";

/** A process that works on a stage, traced and killed. */
export interface Killing {
  /** Everything of it is killed before this call of the kernel that changes something; 0: none. */
  readonly at?: number;
  /** What it started continues after so many seconds. */
  readonly aloneFor?: number;
  /** After so many milliseconds. */
  readonly afterMs?: number;
  /** From this call on the disk is full. */
  readonly full?: number;
  /** A part of the name of files whose sync does nothing. */
  readonly unsynced?: string;
}

export interface Killed {
  /** The calls that change something on the stage, in their order. The last one was not made, if it was killed there. */
  readonly calls: readonly string[];
  /** Inodes whose content was not on the disk. */
  readonly unsynced: readonly number[];
  readonly code: number | null;
}

/** One file of JavaScript: a process that loads hundreds of modules takes longer to start than to be killed. */
export async function bundleWork(folder: string): Promise<string> {
  const file = join(folder, "work.mjs");
  await build({
    input: join(import.meta.dirname, "work-on-project.ts"),
    platform: "node",
    tsconfig: false,
    resolve: { conditionNames: ["@toolkeep/source", "import", "default"] },
    output: { file, format: "esm", codeSplitting: false },
    onLog() {},
  });
  // What is changed here meanwhile is of the next campaign.
  copyFileSync(join(import.meta.dirname, "system-calls.py"), join(folder, "system-calls.py"));
  return file;
}

/** `onStopped`: once the first process is killed, while what it started waits. */
export function killedWork(
  work: string,
  stage: Stage,
  killing: Killing & { readonly onStopped?: () => void } = {},
): Promise<Killed> {
  const argv = [process.execPath, "--no-warnings", work, JSON.stringify(stage)];
  const { at = 0, aloneFor = 0, full = 0, unsynced = "", afterMs, onStopped } = killing;
  const want = {
    ...{ argv, folder: join(stage.project, ".."), at, alone: aloneFor, ignored: unsynced, full },
    // What a command wrote; what an undo moves back has been on the disk for long.
    unsynced: stage.does === "undo" ? [] : inodesIn(stage.upper),
  };
  const isTraced = afterMs === undefined;
  const [program = "", ...args] = isTraced
    ? ["python3", join(dirname(work), "system-calls.py"), JSON.stringify(want)]
    : argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => {
      if (`${chunk}`.startsWith('"killed"')) onStopped?.();
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.once("error", reject);
    const timer = isTraced ? undefined : setTimeout(() => child.kill("SIGKILL"), afterMs);
    child.once("close", (code) => {
      clearTimeout(timer);
      if (!isTraced) return resolve({ calls: [], unsynced: [], code });
      const said = output.trim().split("\n").at(-1) ?? "";
      if (!said.startsWith("{") || (errors !== "" && at === 0 && full === 0))
        reject(new Error(errors || output));
      else resolve(JSON.parse(said) as Killed);
    });
  });
}

function inodesIn(folder: string): readonly number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).ino);
}
