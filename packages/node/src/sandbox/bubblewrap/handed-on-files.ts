import { readdirSync, readFileSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { COPIED_FD, FILTER_FD, SETTINGS_FD } from "../../processes/spawn-command.ts";
import { findProgram } from "../host/installation.ts";

const CLOSED_ON_START = 0o2000000;

/** Other open files that every program would inherit from this process. Node's own are not among them. */
function handedOnFiles(): readonly number[] {
  // Up to the filter a command is given files of its own: its streams, and those that its sandbox reads and writes.
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((file) => file > FILTER_FD && isHandedOn(file));
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

/** The arguments that close such files before a command, which is given settings or not, and so many files to copy. */
export type Closing = (hasSettings: boolean, copied: number) => readonly string[];

/**
 * What runs before a command so that it does not inherit such files: only the process itself can close them. Usually
 * nothing.
 * @throws ToolFailure `unavailable` if nothing can close them.
 */
export async function closingArgs(): Promise<Closing> {
  const files = handedOnFiles();
  if (files.length === 0) return () => [];
  const [bash, env] = await Promise.all([findProgram("bash"), findProgram("env")]);
  if (bash === undefined || env === undefined)
    throw new ToolFailure(
      "unavailable",
      "Commands would inherit open files of this process, and there is no bash to close them.",
    );
  const ownVariables = ["PWD", "OLDPWD", "SHLVL", "_"].flatMap((name) => ["-u", name]);
  return (hasSettings, copied) => {
    const isGiven = (file: number) =>
      file === SETTINGS_FD ? hasSettings : file >= COPIED_FD && file < COPIED_FD + copied;
    const closed = files.filter((file) => !isGiven(file));
    if (closed.length === 0) return [];
    const closings = closed.map((file) => `${file}>&-`).join(" ");
    return [bash, "--noprofile", "--norc", "-c", `exec ${closings}; exec "$@"`, "bash", env, ...ownVariables];
  };
}
