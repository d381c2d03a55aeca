import { lstatSync } from "node:fs";
import { isWithin } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { gitStates } from "@toolkeep/node/internal";
import type { EvaluatedCall } from "./refused-calls.ts";

/** What commands run or install. If one of them runs what was changed, the command is asked about. */
const DECIDES_COMMANDS = "It decides what commands run or what is installed";
/** What is there was not written for the project, and git does not know it. */
const INSTALLED = /\/(?:node_modules|site-packages|\.venv|venv|\.git)\//;

/**
 * Whether an edit that asks can be undone by git, or makes a new file, so that a client that cannot ask may let it
 * pass: a file of the project that is recorded in git exactly as it is. Not for what a watchdog protects, for
 * instructions of agents, for policies, and for a manifest whose scripts change.
 */
export function isRecoverable(
  { tool }: EvaluatedCall,
  { decision, steps, effects }: Explanation,
  root: string,
): boolean {
  if (tool !== "edit" && tool !== "write") return false;
  const { askedBy = [], neverRemember } = decision;
  if (neverRemember === true || askedBy.some((asker) => asker !== "rules")) return false;
  const objections = steps.filter(({ said }) => said === "ask");
  const isAboutCommands = objections.every(
    ({ layer, reason, effect }) =>
      effect?.capability === "fs.write" && (layer === "default" || reason === DECIDES_COMMANDS),
  );
  const written = effects.filter(({ capability }) => capability === "fs.write");
  return isAboutCommands && written.every((effect) => isUndoable(effect, root));
}

function isUndoable(
  { target, scripts }: { readonly target: string; readonly scripts?: readonly string[] },
  root: string,
): boolean {
  if (!isWithin(target, root) || INSTALLED.test(target)) return false;
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return true;
  if (target.endsWith("/package.json") && scripts?.length !== 0) return false;
  return gitStates([target], (path) => isWithin(path, root)).get(target) === "recorded";
}
