import { spawn } from "node:child_process";
import type { Session } from "@toolkeep/core";
import type { Ended } from "./compare.ts";
import type { Repositories } from "./open-repositories.ts";

/** No command of the day takes this long, unless it waits for a network that it does not have. */
export const LONGEST_MS = 30_000;

/** Runs a line as its user does in a terminal. */
export function runOutside(
  line: string,
  cwd: string,
  { environment, user }: Pick<Repositories, "environment" | "user">,
): Promise<Ended> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", line], {
      ...{ cwd, env: { ...environment, PWD: cwd }, ...user, stdio: ["ignore", "pipe", "pipe"] },
      timeout: LONGEST_MS,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.once("error", reject);
    child.once("close", (exitCode) =>
      resolve({ exitCode, output, milliseconds: performance.now() - started }),
    );
  });
}

/** Runs a line with the standard tool. What keeps it from running is its output. */
export async function runInside(line: string, session: Session): Promise<Ended> {
  const started = performance.now();
  const { ok, data, failure } = await session.call("bash", { command: line, timeout: LONGEST_MS });
  const milliseconds = performance.now() - started;
  if (!ok) return { exitCode: null, output: `${failure?.code}: ${failure?.message}`, milliseconds };
  const { exitCode, output = "" } = data as { readonly exitCode: number | null; readonly output?: string };
  return { exitCode, output, milliseconds };
}
