import { realpathSync } from "node:fs";
import { VERSION } from "../version.ts";
import { type OwnCommand, WORKSPACE_FOLDER } from "./install-client.ts";

/** The published package at this very version: a newer one is a decision of its own. */
export function publishedCommand(): OwnCommand {
  return ["npx", "-y", `toolkeep@${VERSION}`];
}

/** This very program, by its path: faster to start, and good on this machine alone. */
export function localCommand(): OwnCommand {
  return [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? "")];
}

const PUBLISHED = /^toolkeep@\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/**
 * Whether words start our gateway for this project as `install` writes it, word by word: what only looks like it
 * could be anything, and one with a policy or grants of its own would decide otherwise than the hook.
 */
export function startsOurGateway(words: readonly string[], project: string): boolean {
  const rest = afterOwn(words);
  if (rest?.[0] !== "gateway") return false;
  for (let index = 1; index < rest.length; index += 2) {
    const [option, value] = [rest[index], rest[index + 1]];
    const isWrap = option === "--wrap" && value !== undefined && !value.startsWith("-");
    const isHere = option === "--project" && (value === project || value === WORKSPACE_FOLDER);
    if (!isWrap && !isHere) return false;
  }
  return true;
}

/** The words after those that start this program; `undefined` for another program. */
function afterOwn(words: readonly string[]): readonly string[] | undefined {
  const [program = "", flag, name = ""] = words;
  if (program === "npx" && flag === "-y" && PUBLISHED.test(name)) return words.slice(3);
  const own = localCommand();
  return own.every((word, index) => words[index] === word) ? words.slice(own.length) : undefined;
}
