import type { Objection, Watchdog, WatchdogSettings } from "../../contract/policy/decision.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { changedScripts } from "./changed-scripts.ts";
import { exfiltration } from "./exfiltration.ts";
import { loop } from "./loop.ts";
import { overreach } from "./overreach.ts";
import { NO_LABELS, type PathLabels } from "./path-labels.ts";
import { protectedNames } from "./protected-names.ts";
import { riskyCommands } from "./risky-commands.ts";
import { ruleOfTwo } from "./rule-of-two.ts";
import { secrets } from "./secrets.ts";

type Maker = (objection: Objection | undefined, labels: PathLabels) => Watchdog;

const MAKERS: Readonly<Record<Exclude<keyof WatchdogSettings, "loop">, Maker>> = {
  secrets: (objection) => secrets(objection),
  "rule-of-two": ruleOfTwo,
  exfiltration: (objection) => exfiltration(objection),
  "protected-names": (objection) => protectedNames(objection),
  overreach: (objection) => overreach(objection),
  "risky-commands": (objection) => riskyCommands(objection),
  "changed-scripts": (objection) => changedScripts(objection),
};

/**
 * The watchdogs that ship, in a fixed order, without those that are off. `labels` are those of the policy.
 * @throws ToolkeepError `invalid_option` for a name or a value that is not known.
 */
export function builtInWatchdogs(
  settings?: WatchdogSettings,
  labels: PathLabels = NO_LABELS,
): readonly Watchdog[] {
  return settings === undefined && labels.length === 0 ? DEFAULT : make(settings ?? {}, labels);
}

function make(settings: WatchdogSettings, labels: PathLabels): readonly Watchdog[] {
  assertKnown(settings);
  const { loop: times, ...objections } = settings;
  const made = Object.entries(MAKERS).flatMap(([name, maker]) => {
    const objection = objections[name as keyof typeof objections];
    return objection === "off" ? [] : [maker(objection, labels)];
  });
  return Object.freeze(times === undefined || times === "off" ? made : [...made, loop(times)]);
}

function assertKnown(settings: WatchdogSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    const isKnown = name === "loop" || Object.hasOwn(MAKERS, name);
    if (!isKnown) throw invalidOption(`There is no watchdog ${JSON.stringify(name)}.`);
    if (name === "loop" && typeof value === "number") continue;
    if (value !== undefined && value !== "off" && (name === "loop" || !isObjection(value))) {
      throw invalidOption(`The watchdog ${name} cannot be ${JSON.stringify(value)}.`);
    }
  }
}

function isObjection(value: unknown): boolean {
  return value === "ask" || value === "deny";
}

const DEFAULT = make({}, NO_LABELS);
