import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { type Rule, ToolkeepError } from "@toolkeep/core";
import {
  type Policy,
  type PolicyMode,
  RECOMMENDED_POLICY,
  type WatchdogSettings,
} from "@toolkeep/core/policy";
import { definitionOf, readPolicy } from "@toolkeep/node";
import type { PolicyPath } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

export type PolicySource = PolicyPath;

const MOST_BYTES = 1_000_000;

/**
 * Puts the policy files of all layers together; the recommended rules where there is none. What the user and
 * whoever runs the machine deny is final. A project's file brings rules, and no mode or setting that widens; one that
 * is not what was trusted brings only what denies and asks. Where such a one stood for the recommended rules, these
 * do not come back with what they allow.
 * @throws CommandFault, ToolkeepError `invalid_option` for a file that is missing or not right.
 */
export function readPolicies(
  sources: readonly PolicySource[],
  mode: PolicyMode | undefined,
): Policy["definition"] {
  const isReplaced = sources.some(({ narrows }) => narrows !== "added");
  const read = sources.flatMap(readOne);
  if (!isReplaced) return { ...RECOMMENDED_POLICY, ...withRules(read), mode: mode ?? "ask" };
  const ofUser = read.filter(({ isOfProject }) => !isOfProject);
  const strongest = ofUser.at(-1)?.definition ?? { mode: "ask" as const };
  const settled = mode ?? strongest.mode ?? "ask";
  return {
    mode: settled,
    rules: [...(ofUser.length === 0 ? leftOf(sources) : []), ...rulesOf(read)],
    builtIn: settingsOf(read),
    ...(settled === "allowlist"
      ? { allowList: ofUser.flatMap(({ definition }) => definition.allowList ?? []) }
      : {}),
  };
}

interface ReadPolicy extends ReadSettings {
  readonly definition: Policy["definition"];
}

function readOne({ path, layer, text, narrows }: PolicySource): readonly ReadPolicy[] {
  const isOfProject = layer === "project" || layer === "local";
  const read = () =>
    definitionOf(
      // A project's file was read once, when it was held against what was trusted.
      readPolicy(isOfProject ? (text ?? refuseUnread(path)) : readBounded(path), {
        file: path,
        scope: isOfProject ? "project" : "manifest",
        home: homedir(),
        // What a trusted project's file extends is not among what was trusted.
        extends: (name) => (isOfProject ? undefined : readBeside(path, name)),
      }),
    );
  const definition = narrows === undefined ? read() : narrowed(read);
  if (definition === undefined) return [];
  const { builtIn = {} } = definition;
  const settings: WatchdogSettings = builtIn === "off" ? {} : builtIn;
  return [{ definition, isOfProject, settings }];
}

function refuseUnread(path: string): never {
  throw new CommandError(`The policy ${path} of the project was not read when it was trusted.`);
}

/** What is not understood of a file that was changed narrows nothing; what it said before is read beside it. */
function narrowed(read: () => Policy["definition"]): Policy["definition"] | undefined {
  try {
    const { rules = [], ...others } = read();
    return { ...others, rules: narrowingOf(rules) };
  } catch (error) {
    if (error instanceof CommandError || !ToolkeepError.isInstance(error)) throw error;
    return undefined;
  }
}

/** An ask that nobody trusted must not stand above a deny of anybody's. */
function narrowingOf(rules: readonly Rule[]): readonly Rule[] {
  return rules
    .filter(({ action }) => action !== "allow")
    .map((rule) => (rule.action === "ask" ? { ...rule, yieldsToDeny: true } : rule));
}

/** What is left of the recommended rules where a project's file that changed stood in their place. */
function leftOf(sources: readonly PolicySource[]): readonly Rule[] {
  const isWhole = sources.some(({ narrows }) => narrows === undefined);
  return isWhole ? [] : narrowingOf(RECOMMENDED_POLICY.rules ?? []);
}

function rulesOf(read: readonly ReadPolicy[]): readonly Rule[] {
  return read.flatMap(({ definition }) => definition.rules ?? []);
}

function withRules(read: readonly ReadPolicy[]): Partial<Pick<Policy["definition"], "rules" | "builtIn">> {
  if (read.length === 0) return {};
  const { rules = [], builtIn } = RECOMMENDED_POLICY;
  const own = { isOfProject: false, settings: builtIn };
  return { rules: [...rules, ...rulesOf(read)], builtIn: settingsOf([own, ...read]) };
}

interface ReadSettings {
  readonly isOfProject: boolean;
  readonly settings: WatchdogSettings;
}

/** What the user says counts as it is said; a project may only make a watchdog stricter, or wake one. */
function settingsOf(read: readonly ReadSettings[]): WatchdogSettings {
  const all: Record<string, Setting> = {};
  for (const { settings } of read.filter(({ isOfProject }) => !isOfProject)) Object.assign(all, settings);
  for (const { settings } of read.filter(({ isOfProject }) => isOfProject)) {
    for (const [name, value] of Object.entries(settings) as [string, Setting][])
      if (isStricter(value, { than: all[name], isLoop: name === "loop" })) all[name] = value;
  }
  return all as WatchdogSettings;
}

type Setting = WatchdogSettings[keyof WatchdogSettings];

/** One that nobody set minds in its own way, which may be to deny; a count that nobody set counts nothing. */
function isStricter(
  value: Setting,
  { than, isLoop }: { readonly than: Setting; readonly isLoop: boolean },
): boolean {
  if (value === undefined || value === "off") return false;
  if (isLoop) return typeof value === "number" && (typeof than !== "number" || value < than);
  return than === "off" || value === "deny";
}

/** A file that another extends, by its name from there; `undefined` if there is none. */
function readBeside(path: string, name: string): string | undefined {
  const other = resolve(dirname(path), name);
  return existsSync(other) ? readBounded(other) : undefined;
}

function readBounded(path: string): string {
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new CommandError(`The policy ${path} is larger than ${MOST_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new CommandError(`The policy ${path} cannot be read (${code}).`, {
      hint: "Check the path after --policy, or under `policy` in the configuration.",
    });
  }
}
