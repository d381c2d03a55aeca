import { ToolFailure } from "@toolkeep/core";
import { inheritedFiles } from "../../processes/proc.ts";
import { COPIED_FD, FILTER_FD, SETTINGS_FD } from "../../processes/spawn-command.ts";
import { findProgram } from "../host/installation.ts";

/** The arguments that close such files before a command, which is given settings or not, and so many files to copy. */
export type Closing = (hasSettings: boolean, copied: number) => readonly string[];

/**
 * What runs before a command so that it does not inherit such files: only the process itself can close them. Usually
 * nothing.
 * @throws ToolFailure `unavailable` if nothing can close them.
 */
export async function closingArgs(): Promise<Closing> {
  // Up to the filter a command is given files of its own: its streams, and those that its sandbox reads and writes.
  const files = inheritedFiles().filter((file) => file > FILTER_FD);
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
