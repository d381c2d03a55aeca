import { accessSync, constants } from "node:fs";
import { ToolFailure } from "@toolkeep/core";

const PLACES = ["/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

let found: string | undefined;

/**
 * The shell that takes command lines apart: bash, because that is what the lines were judged as. Never
 * looked for in a PATH.
 * @throws ToolFailure `unavailable` if there is none.
 */
export function findShell(): string {
  found ??= PLACES.find(isProgram);
  if (found !== undefined) return found;
  throw new ToolFailure("unavailable", `There is no bash to run command lines: ${PLACES.join(", ")}.`, {
    hint: "Give the command as a list of words.",
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
