import {
  type CommandClass,
  classOfCommand,
  classOfLine,
  isWithoutSecrets,
} from "../../commands/meaning/command-class.ts";
import { unknownFile } from "../../contract/call/effect.ts";
import type { Objection, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { classOfTarget, classOfVisible } from "../../file-names/name-class.ts";
import { effectWatchdog, quoted } from "./verdict.ts";

/** Objects to changes of what decides what is run or who may do what, and to looks into files that hold secrets. */
export function protectedNames(objection: Objection = "ask"): Watchdog {
  return effectWatchdog("protected-names", objection, reasonAgainst);
}

function reasonAgainst(effect: CanonicalEffect, call: PolicyCall): string | undefined {
  const { capability, target, entriesOf, implied } = effect;
  // A folder was moved. Its entries keep their names, and the watchdog objects when these are used.
  if (entriesOf !== undefined) return undefined;
  if (capability === "fs.read") {
    const said = againstReading(target);
    return said === undefined || isWithoutSecrets(effect, call) ? undefined : said;
  }
  if (capability.startsWith("fs.")) return againstChanging(effect);
  if (capability === "shell.run") {
    // What follows from other commands, as a wrapper does from what it runs, opens nothing by itself.
    if (implied === true) return undefined;
    const named = classOfCommand(target);
    const isHarmless = named.secret !== undefined && isWithoutSecrets(effect, call);
    return againstCommand(isHarmless ? { ...named, secret: undefined } : named);
  }
  if (capability.startsWith("shell.")) return againstCommand(classOfLine(target));
  return undefined;
}

function againstReading(path: string): string | undefined {
  return classOfTarget(path).isSecret ? `${quoted(path)} may hold secrets.` : undefined;
}

function againstChanging(effect: CanonicalEffect): string | undefined {
  const { capability, target: path, visible } = effect;
  const found = visible === true ? classOfVisible(path) : classOfTarget(path);
  if (found.isSecret) return `${quoted(path)} may hold secrets.`;
  if (found.isConfiguration || found.isSystem || found.isHead)
    return `${quoted(path)} is protected: it decides what is run or who may do what.`;
  if (found.isBroad) return unknownFile(effect) ?? `${quoted(path)} stands for protected names as well.`;
  if (capability !== "fs.write" && found.isTopFolder) return `Everything is beneath ${quoted(path)}.`;
  return undefined;
}

function againstCommand({ secret, changed, configures }: CommandClass): string | undefined {
  if (secret !== undefined) return `The command names ${quoted(secret)}, which may hold secrets.`;
  if (changed?.startsWith("/../") === true)
    return "It changes files above a folder that is known only when it runs.";
  if (changed !== undefined) return `The command names ${quoted(changed)}, which is protected.`;
  return configures;
}
