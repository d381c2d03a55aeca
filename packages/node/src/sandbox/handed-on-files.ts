import { readdirSync, readFileSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { FILTER_FD, REPORT_FD } from "../processes/namespace-files.ts";
import { findProgram } from "./find-program.ts";

const CLOSED_ON_START = 0o2000000;

/** Up to here a command is given files of its own: its streams, and those that its sandbox reads and writes. */
const LAST_GIVEN = Math.max(REPORT_FD, FILTER_FD);

/** Other open files that every program we start would get from us. Node's own are none of them. */
function handedOnFiles(): readonly number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((file) => file > LAST_GIVEN && isHandedOn(file));
}

function isHandedOn(file: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_ON_START) === 0;
  } catch {
    // It was the one that the list was read from.
    return false;
  }
}

/**
 * What stands before a command so that it does not get such files: nobody but the process that is to be
 * without them can close them. Mostly nothing.
 * @throws ToolFailure `unavailable` where nothing can.
 */
export async function closingMessage(files: readonly number[] = handedOnFiles()): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const [bash, env] = await Promise.all([findProgram("bash"), findProgram("env")]);
  if (bash === undefined || env === undefined)
    throw new ToolFailure(
      "unavailable",
      "This process hands open files on to commands, and there is no bash to close them.",
    );
  const closings = files.map((file) => `${file}>&-`).join(" ");
  const ownVariables = ["PWD", "OLDPWD", "SHLVL", "_"].flatMap((name) => ["-u", name]);
  return [bash, "--noprofile", "--norc", "-c", `exec ${closings}; exec "$@"`, "bash", env, ...ownVariables];
}
