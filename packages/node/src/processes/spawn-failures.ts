import { ToolFailure } from "@toolkeep/core";

/** Why a command could not be started, as a message, from the error of the system. */
export function spawnFailure(program: string, code: string): ToolFailure {
  const name = JSON.stringify(program);
  if (code === "ENOENT")
    return new ToolFailure("not_found", `The program ${name} was not found.`, {
      hint: "Check its name, and whether it is installed.",
    });
  if (code === "EACCES" || code === "ENOEXEC")
    return new ToolFailure("unavailable", `${name} is not a program that may be run (${code}).`);
  if (code === "E2BIG")
    return new ToolFailure("too_large", "The arguments and the environment of the command are too long.", {
      hint: "Write what is long to a file, or hand it over as input.",
    });
  const isShort = code === "EAGAIN" || code === "ENOMEM" || code === "EMFILE" || code === "ENFILE";
  return new ToolFailure("unavailable", `${name} could not be started (${code}).`, { transient: isShort });
}

/** The failure of a command whose spawner died under it. */
export function spawnerLost(): ToolFailure {
  return new ToolFailure(
    "tool_failed",
    "The process that starts commands has died. The command was ended; part of it may have been done.",
    { hint: "Look at what it has done before you run it again." },
  );
}

/** The failure of every command while there is no spawner. */
export function spawnerMissing(): ToolFailure {
  return new ToolFailure("unavailable", "The process that starts commands could not be started.", {
    hint: "Is there enough memory, and does Node run this process?",
    transient: true,
  });
}
