import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ToolkeepError } from "@toolkeep/core";

/** Beside this file in the sources; beside the door, or a folder above its chunks, once it is built. */
const PLACES = import.meta.url.endsWith(".ts")
  ? [new URL("./spawner-process.ts", import.meta.url)]
  : [new URL("./spawner-process.js", import.meta.url), new URL("../spawner-process.js", import.meta.url)];

/**
 * The path of the program that starts commands.
 * @throws ToolkeepError `invalid_option` if it is not there, as in a bundle that left it behind.
 */
export function spawnerProgram(given: string | undefined): string {
  const program = given ?? PLACES.map((url) => fileURLToPath(url)).find((path) => existsSync(path));
  if (program !== undefined && existsSync(program)) return program;
  throw new ToolkeepError(
    "invalid_option",
    "The program that starts commands is missing. If you bundle the library, ship `spawner-process.js` of @toolkeep/node and say where it is with `program`.",
  );
}
