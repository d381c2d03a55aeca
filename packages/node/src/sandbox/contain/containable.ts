import { existsSync } from "node:fs";
import { MACHINE_PROGRAMS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import {
  isLoopbackAddress,
  isProtectedName,
  isSecretFile,
  isWithin,
  splitCommand,
  unknownFile,
} from "@toolkeep/core/internal";
import type { ExplainedStep, Explanation } from "@toolkeep/core/policy";
import type { Granted } from "./standing-grants.ts";

/** What stays in a layer or in the place, whatever it does there. */
const STAYING = wordsIn([
  "local.read local.write local.change local.permit local.delete process.end code.run",
  // Other machines do not reach what listens in the place.
  "net.serve",
  "project.load project.run env.read db.read db.write vcs.read vcs.write vcs.switch",
  "package.remove package.run infra.read infra.plan",
]);

export const RECOMMENDED = "toolkeep:recommended";
/** These ask because of what may be run or changed: the first stays inside, and the second is held. */
const OF_THE_UNKNOWN: ReadonlySet<string> = new Set(["changed-scripts", "protected-names"]);
const OF_WHAT_LEAVES: ReadonlySet<string> = new Set(["destruction", "exfiltration", "rule-of-two"]);

/**
 * Whether a command may run contained instead of asking: what objects to it is only that it is not known. What
 * is known to be dangerous asks, and so does whatever a rule of the user's asks about.
 */
export function isContainable(
  { decision, steps, effects }: Explanation,
  roots: readonly string[],
  granted?: Granted,
): boolean {
  if (decision.needs !== undefined || namesSecrets(effects)) return false;
  if (steps.some(({ isFinal, effect }) => isFinal === true && !isVague(effect))) return false;
  const reaching = effects.filter(({ capability }) => REACHING.has(capability));
  if (granted === undefined && reaching.some(({ target }) => !isLocal(target))) return false;
  if (decision.action === "deny" && !steps.some(({ said }) => said === "deny")) return false;
  const isLocalReach = reaching.length > 0;
  const staysWhole = effects.every((effect) => staysInside(effect, isLocalReach));
  const mayBeTried = ({ layer, matchedBy, at, effect }: ExplainedStep): boolean => {
    // Of what may be destroyed or sent, nothing is outside if all of its commands stay inside.
    if (layer === "watchdog")
      return OF_THE_UNKNOWN.has(matchedBy) || (OF_WHAT_LEAVES.has(matchedBy) && staysWhole);
    if (effect === undefined) return false;
    if (REACHING.has(effect.capability)) return granted === undefined || layer === "default";
    if (layer === "default")
      return stays(effect, roots) && (granted !== undefined || staysInside(effect, isLocalReach));
    if (layer !== "rule" || at !== RECOMMENDED) return false;
    // Deletions can be undone; what decides what runs is asked about by its name.
    if (effect.capability === "fs.delete") return isInside(effect.target, roots);
    if (effect.capability === "shell.run") return runsScript(effect);
    return isVague(effect) && stays(effect, roots);
  };
  return steps.every((step) =>
    step.said === "deny" ? isVague(step.effect) : step.said !== "ask" || mayBeTried(step),
  );
}

/** The effects of a command that are decided before it runs contained: what it changes is decided about afterwards. */
export function decidedBefore(effects: readonly Effect[]): readonly Effect[] {
  return effects.filter(({ capability }) => capability !== "fs.write" && capability !== "fs.delete");
}

/**
 * A file that may or may not be what a rule is about. What was changed is seen afterwards, and decided about; what may not
 * be read is not there.
 */
function isVague(effect: Effect | undefined): boolean {
  if (effect === undefined) return false;
  const isChange = /^fs\.(?:write|delete)$/.test(effect.capability);
  return unknownFile(effect) !== undefined || (isChange && /[*$`]/.test(effect.target));
}

/** What a command reads by its name is asked about; there it would find nothing. */
function namesSecrets(effects: readonly Effect[]): boolean {
  return effects.some(({ capability, target }) =>
    capability === "shell.run"
      ? splitCommand(target).some((word) => PATH.test(word) && isSecretFile(word))
      : capability === "fs.read" && isSecretFile(target),
  );
}

/** Not a program of `jq` or `awk`, which may end like one. */
const PATH = /^[^\s|(){}[\]<>;]+$/;

/** To servers in the place. Those of the user are wants. */
const TO_SERVERS: ReadonlySet<string> = new Set(["net.read", "net.send", "db.reach"]);
/** They work in servers, whose data no layer holds. */
const OF_SERVERS = wordsIn(MACHINE_PROGRAMS.ofServers);

/** A command that may do this is tried: it would contact a server for it, which is refused. */
const OF_THE_DOUBTFUL = /^(?:db\.\w+|package\.install)$/;

/** Whether nothing that the catalogue says of a command leaves the layer and the place. */
function staysInside({ capability, target, meaning }: Effect, isLocal: boolean): boolean {
  if (capability !== "shell.run" || meaning === undefined) return true;
  const { program, does, feared = [] } = meaning;
  const isLocalClone = CLONE.test(target) && !target.includes(":");
  return does.every((one) => {
    if (isLocalClone && OF_CLONES.has(one)) return true;
    if (one.startsWith("db.") && OF_SERVERS.has(program)) return false;
    if (TO_SERVERS.has(one)) return isLocal || isLocalRequest(target);
    return STAYING.has(one) || (feared.includes(one) && OF_THE_DOUBTFUL.test(one));
  });
}

/**
 * Of a repository on this machine, by its path; no option has a value that could be taken for it. Git refuses the hard
 * links that a layer makes.
 */
const CLONE =
  /^git clone(?=.* (?:--no-hardlinks|--shared|-s)(?: |$))(?: -[a-z]+| --(?:quiet|bare|mirror|no-local|shared|no-hardlinks|no-checkout))* \.{0,2}(?:\/\S*)?(?: [\w./-]+)?$/;
const OF_CLONES: ReadonlySet<string> = new Set(["vcs.fetch", "net.read"]);

/** Whether a command names a program on this machine, and no other machine. */
function isLocalRequest(target: string): boolean {
  const hosts = splitCommand(target)
    .slice(1)
    .filter((word) => HOST.test(word));
  return hosts.length > 0 && hosts.every(isLocal);
}

/** An address, with or without a port; not a path, a number or a word. */
const HOST =
  /^(?:\w+:\/\/\S+|localhost(?:[:/]\S*)?|\[[\da-f:.]+\]\S*|(?!\d+(?:\.\d+)?$)[\w-]+(?:\.[\w-]+)+(?:[:/]\S*)?)$/i;

function isLocal(target: string): boolean {
  return isLoopbackAddress(target.replace(/^\w+:\/\//, "").replace(/(?::\d+)?(?:\/.*)?$/, ""));
}

/** To reach a host is decided beforehand. */
const REACHING = wordsIn(["net.fetch net.send shell.network sandbox.leave unknown"]);

/** A script of the project, whatever it is called. */
function runsScript({ meaning }: Effect): boolean {
  return meaning !== undefined && meaning.does.length > 0 && meaning.does.every((one) => OF_SCRIPTS.has(one));
}

function stays(effect: Effect, roots: readonly string[]): boolean {
  const { capability, target } = effect;
  if (!capability.startsWith("fs.")) return OF_COMMANDS.has(capability);
  // A line that goes to a folder is read as if it stayed, too: outside there is nothing by that path.
  if (capability === "fs.read" && !existsSync(target)) return true;
  return unknownFile(effect) !== undefined || IN_EVERY_SANDBOX.test(target) || isInside(target, roots);
}

const OF_COMMANDS: ReadonlySet<string> = new Set(["shell.run", "shell.dynamic", "git.commit", "git.read"]);
const OF_SCRIPTS: ReadonlySet<string> = new Set(["package.run", "project.run", "project.load", "code.run"]);
/** Each place has its own. */
const IN_EVERY_SANDBOX = /^\/(?:(?:var\/)?tmp|proc|dev)(?:\/|$)/;

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(path, root)) && !isProtectedName(path) && !isSecretFile(path);
}
