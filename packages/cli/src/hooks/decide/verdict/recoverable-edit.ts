import { isWithin } from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import { gitStates } from "@toolkeep/node/internal";
import type { EvaluatedCall } from "./refused-calls.ts";

const RECOMMENDED = "toolkeep:recommended";

/**
 * Whether a client that cannot ask may let a call pass that asks, because git can undo it and no program runs what
 * changes: an edit of a `package.json` that leaves its scripts alone, and the removal of a file that a patch moves. Git
 * must have the file of the project exactly as it is. Every other file that commands follow is refused there, as it asks
 * elsewhere: another conversation would run it unasked.
 */
export function isRecoverable(
  { tool, arguments: { isMoved } }: EvaluatedCall,
  { decision, steps, effects }: Explanation,
  root: string,
): boolean {
  const { askedBy = [], neverRemember } = decision;
  if (neverRemember === true || askedBy.some((asker) => asker !== "rules")) return false;
  const objections = steps.filter(({ said }) => said === "ask");
  if (tool === "delete") return isMoved === true && objections.every((one) => isKeptBy(one, root));
  if (tool !== "edit" && tool !== "write") return false;
  const written = effects.filter(({ capability }) => capability === "fs.write");
  return (
    objections.every(({ effect }) => effect?.capability === "fs.write") &&
    written.every(({ target, scripts }) => {
      return target.endsWith("/package.json") && scripts?.length === 0 && isRecorded(target, root);
    })
  );
}

/** The rule that asks about every deletion. */
function isKeptBy({ at, effect }: ExplainedStep, root: string): boolean {
  return at === RECOMMENDED && effect?.capability === "fs.delete" && isRecorded(effect.target, root);
}

/** Git does not know what is installed for the project. */
const INSTALLED = /\/(?:node_modules|site-packages|\.venv|venv|\.git)\//;

function isRecorded(path: string, root: string): boolean {
  if (!isWithin(path, root) || INSTALLED.test(path)) return false;
  return gitStates([path], (one) => isWithin(one, root)).get(path) === "recorded";
}
