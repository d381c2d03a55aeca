import { ToolkeepError } from "../../contract/error.ts";
import type { Objection, Watchdog, WatchdogSettings } from "../../contract/watchdog.ts";
import { changedScripts } from "./changed-scripts.ts";
import { exfiltration } from "./exfiltration.ts";
import { loop } from "./loop.ts";
import { overreach } from "./overreach.ts";
import { protectedNames } from "./protected-names.ts";
import { riskyCommands } from "./risky-commands.ts";
import { ruleOfTwo } from "./rule-of-two.ts";
import { secrets } from "./secrets.ts";

const MAKERS: Readonly<Record<Exclude<keyof WatchdogSettings, "loop">, (objection?: Objection) => Watchdog>> =
  {
    secrets,
    "rule-of-two": ruleOfTwo,
    exfiltration,
    "protected-names": protectedNames,
    overreach,
    "risky-commands": riskyCommands,
    "changed-scripts": changedScripts,
  };

/**
 * The watchdogs that ship, in a fixed order, without those that are off.
 * @throws ToolkeepError `invalid_option` for a name or a value that is not known.
 */
export function builtInWatchdogs(settings?: WatchdogSettings): readonly Watchdog[] {
  return settings === undefined ? DEFAULT : make(settings);
}

function make(settings: WatchdogSettings): readonly Watchdog[] {
  assertKnown(settings);
  const { loop: times, ...objections } = settings;
  const made = Object.entries(MAKERS).flatMap(([name, maker]) => {
    const objection = objections[name as keyof typeof objections];
    return objection === "off" ? [] : [maker(objection)];
  });
  return Object.freeze(times === undefined || times === "off" ? made : [...made, loop(times)]);
}

function assertKnown(settings: WatchdogSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    const isKnown = name === "loop" || Object.hasOwn(MAKERS, name);
    if (!isKnown) throw invalid(`There is no watchdog ${JSON.stringify(name)}.`);
    if (name === "loop" && typeof value === "number") continue;
    if (value !== undefined && value !== "off" && (name === "loop" || !isObjection(value))) {
      throw invalid(`The watchdog ${name} cannot be ${JSON.stringify(value)}.`);
    }
  }
}

function isObjection(value: unknown): boolean {
  return value === "ask" || value === "deny";
}

function invalid(message: string): ToolkeepError {
  return new ToolkeepError("invalid_option", message);
}

const DEFAULT = make({});
