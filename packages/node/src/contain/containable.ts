import type { Effect } from "@toolkeep/core";
import {
  isLoopbackAddress,
  isProtectedName,
  isSecretFile,
  isWithin,
  splitCommand,
} from "@toolkeep/core/internal";
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
/** These ask because of what may be run or changed: the first stays inside, and the second is held. */
const OF_THE_UNKNOWN: ReadonlySet<string> = new Set(["changed-scripts", "protected-names"]);

/**
 * Whether a command may run contained instead of asking: nobody objects to it but for what is not known about it. What
 * is known to be dangerous asks, and so does whatever a rule of the user's asks about.
 */
export function isContainable({ decision, steps, effects }: Explanation, roots: readonly string[]): boolean {
  if (decision.isFinal === true || decision.needs !== undefined || namesSecrets(effects)) return false;
  const reaching = effects.filter(({ capability }) => REACHING.has(capability));
  if (reaching.some(({ target }) => !isLocal(target))) return false;
  const staying = reaching.length === 0 ? STAYING : STAYING.union(TO_SERVERS);
  const trying = { roots, staying };
  if (decision.action === "deny" && !steps.some(({ said }) => said === "deny")) return false;
  return steps.every(({ said, ...step }) => {
    if (said === "deny") return isVague(step.effect);
    return said !== "ask" || mayBeTried(step, trying);
  });
}

/** A deny that may or may not concern what a name turns out to be: what it was is seen afterwards, and decided about. */
function isVague(effect: Effect | undefined): boolean {
  return (
    effect !== undefined && /^fs\.(?:write|delete)$/.test(effect.capability) && /[*$]/.test(effect.target)
  );
}

/** What a command reads by its name is asked about; there it would find nothing. */
function namesSecrets(effects: readonly Effect[]): boolean {
  return effects.some(({ capability, target }) =>
    capability === "shell.run"
      ? splitCommand(target).some(isSecretFile)
      : capability === "fs.read" && isSecretFile(target),
  );
}

/** To servers in the place. Those of the user are wants. */
const TO_SERVERS: ReadonlySet<string> = new Set(["net.read", "net.send", "db.reach"]);

function isLocal(target: string): boolean {
  return isLoopbackAddress(target.replace(/^\w+:\/\//, "").replace(/(?::\d+)?(?:\/.*)?$/, ""));
}

interface Trying {
  readonly roots: readonly string[];
  /** What may be done without leaving. */
  readonly staying: ReadonlySet<string>;
}

/** To reach a host is decided beforehand. */
const REACHING: ReadonlySet<string> = new Set([
  "net.fetch",
  "net.send",
  "shell.network",
  "sandbox.leave",
  "unknown",
]);

function mayBeTried({ layer, matchedBy, at, effect }: Omit<ExplainedStep, "said">, trying: Trying): boolean {
  if (layer === "watchdog") return OF_THE_UNKNOWN.has(matchedBy);
  if (effect === undefined) return false;
  if (REACHING.has(effect.capability)) return true;
  if (layer === "default") return stays(effect, trying);
  // Deletions can be undone; what decides what runs is asked about by its name.
  return (
    layer === "rule" &&
    at === RECOMMENDED &&
    effect.capability === "fs.delete" &&
    isInside(effect.target, trying.roots)
  );
}

function stays({ capability, target, meaning }: Effect, { roots, staying }: Trying): boolean {
  if (capability === "shell.run")
    return meaning === undefined || meaning.does.every((one) => staying.has(one));
  if (capability === "shell.dynamic" || capability === "git.commit" || capability === "git.read") return true;
  return /^fs\.(?:read|write|delete)$/.test(capability) && isInside(target, roots);
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(path, root)) && !isProtectedName(path) && !isSecretFile(path);
}
