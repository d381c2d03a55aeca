import type { Objection, Watchdog, WatchdogSettings } from "../../contract/policy/decision.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { changedScripts } from "./changed-scripts.ts";
import { destruction, type IsNamed } from "./destruction.ts";
import { exfiltration } from "./exfiltration.ts";
import { loop } from "./loop.ts";
import { overreach } from "./overreach.ts";
import { NO_LABELS, type PathLabels } from "./path-labels.ts";
import { protectedNames } from "./protected-names.ts";
import { riskyCommands } from "./risky-commands.ts";
import { ruleOfTwo } from "./rule-of-two.ts";
import { secrets } from "./secrets.ts";

type Maker = (objection: Objection | undefined, given: Given) => Watchdog;

/** What some watchdogs know of the policy they belong to. */
export interface Given {
  readonly labels: PathLabels;
  readonly isNamed?: IsNamed;
}

const MAKERS: Readonly<Record<Exclude<keyof WatchdogSettings, "loop">, Maker>> = {
  secrets: (objection) => secrets(objection),
  "rule-of-two": (objection, { labels }) => ruleOfTwo(objection, labels),
  exfiltration: (objection) => exfiltration(objection),
  "protected-names": (objection) => protectedNames(objection),
  overreach: (objection) => overreach(objection),
  "risky-commands": (objection) => riskyCommands(objection),
  "changed-scripts": (objection) => changedScripts(objection),
  destruction: (objection, { isNamed }) => destruction(objection, isNamed),
};

/**
 * The watchdogs that ship, in a fixed order, without those that are off. `given` is of the policy.
 * @throws ToolkeepError `invalid_option` for a name or a value that is not known.
 */
export function builtInWatchdogs(
  settings?: WatchdogSettings,
  given: Given = { labels: NO_LABELS },
): readonly Watchdog[] {
  const isDefault = settings === undefined && given.labels.length === 0 && given.isNamed === undefined;
  return isDefault ? DEFAULT : make(settings ?? {}, given);
}

function make(settings: WatchdogSettings, given: Given): readonly Watchdog[] {
  assertKnown(settings);
  const { loop: times, ...objections } = settings;
  const made = Object.entries(MAKERS).flatMap(([name, maker]) => {
    const objection = objections[name as keyof typeof objections];
    return objection === "off" ? [] : [maker(objection, given)];
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

const DEFAULT = make({}, { labels: NO_LABELS });
