import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";

export interface Ran {
  /** A number, `timeout`, or `running` in the background. */
  readonly exit: number | string;
  readonly output: string;
  /** Where the next command starts. */
  readonly folder: string;
}

interface Place {
  readonly folder: string;
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the client keeps the folder in which a command ends, as long as that is in the project. */
  readonly keepsFolder: boolean;
  readonly background: boolean;
  readonly longestMs: number;
  /** Called before what takes too long is ended. */
  onTimeout?(): void;
}

const OUTPUT = "/srv/exchange/output";
const FOLDER = "/srv/exchange/folder";
/** What a command in the background has done by then is its result. */
const SETTLED_MS = 2_500;
const KEPT = 1_000_000;

/** Runs a command with bash as a client does, until bash ends: what it leaves running may hold its output. */
export async function runInShell(command: string, place: Place): Promise<Ran> {
  const { folder, project, environment, keepsFolder, background, longestMs, onTimeout } = place;
  rmSync(FOLDER, { force: true });
  const line = keepsFolder ? `eval ${quoted(command)} < /dev/null && pwd -P >| ${FOLDER}` : command;
  rmSync(OUTPUT, { force: true });
  const output = openSync(OUTPUT, "w");
  const child = spawn("bash", ["-c", line], {
    ...{ cwd: existsSync(folder) ? folder : project, env: environment, detached: true },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const exit = await new Promise<number | string>((resolve, reject) => {
    const timer = setTimeout(
      () => {
        onTimeout?.();
        if (!background) endGroup(child.pid);
        resolve(background ? "running" : "timeout");
      },
      background ? SETTLED_MS : longestMs,
    );
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      // As a shell says it that ran this one.
      resolve(code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0));
    });
  });
  const ended = keepsFolder && existsSync(FOLDER) ? readFileSync(FOLDER, "utf8").trim() : folder;
  const isKept = ended === project || ended.startsWith(`${project}/`);
  return { exit, output: readFileSync(OUTPUT, "utf8").slice(0, KEPT), folder: isKept ? ended : project };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
