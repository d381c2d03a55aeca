import type { Effect } from "@toolkeep/core";
import { isProtectedName, isSecretFile, isWithin } from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";

/** What stays in a layer or in the place, whatever it does there. */
const STAYING: ReadonlySet<string> = new Set([
  ...["local.read", "local.write", "local.change", "local.permit", "local.delete", "process.end", "code.run"],
  ...[
    "project.load",
    "project.run",
    "env.read",
    "db.read",
    "db.write",
    "vcs.read",
    "vcs.write",
    "vcs.switch",
  ],
  ...["package.remove", "package.run", "infra.read", "infra.plan"],
]);

const RECOMMENDED = "toolkeep:recommended";
/** These ask because what runs is not known, which is what containment is for. */
const OF_THE_UNKNOWN: ReadonlySet<string> = new Set(["changed-scripts", "scripts"]);

/**
 * Whether a command may run contained instead of asking: nobody objects to it but for what is not known about it. What
 * is known to be dangerous asks, and so does whatever a rule of the user's asks about.
 */
export function isContainable({ decision, steps, effects }: Explanation, roots: readonly string[]): boolean {
  if (decision.action === "deny" || decision.isFinal === true || decision.needs !== undefined) return false;
  if (effects.some((effect) => REACHING.has(effect.capability))) return false;
  return steps.every((step) => step.said !== "ask" || mayBeTried(step, roots));
}

/** To reach a host is decided beforehand. */
const REACHING: ReadonlySet<string> = new Set([
  "net.fetch",
  "net.send",
  "shell.network",
  "sandbox.leave",
  "unknown",
]);

function mayBeTried({ layer, matchedBy, at, effect }: ExplainedStep, roots: readonly string[]): boolean {
  if (layer === "watchdog") return OF_THE_UNKNOWN.has(matchedBy);
  if (effect === undefined) return false;
  if (layer === "default") return stays(effect, roots);
  // Deletions can be undone; what decides what runs is asked about by its name.
  return (
    layer === "rule" &&
    at === RECOMMENDED &&
    effect.capability === "fs.delete" &&
    isInside(effect.target, roots)
  );
}

function stays({ capability, target, meaning }: Effect, roots: readonly string[]): boolean {
  if (capability === "shell.run")
    return meaning === undefined || meaning.does.every((one) => STAYING.has(one));
  if (capability === "shell.dynamic" || capability === "git.commit" || capability === "git.read") return true;
  return /^fs\.(?:read|write|delete)$/.test(capability) && isInside(target, roots);
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(path, root)) && !isProtectedName(path) && !isSecretFile(path);
}
