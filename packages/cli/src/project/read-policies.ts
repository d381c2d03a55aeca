import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { type Rule, ToolkeepError } from "@toolkeep/core";
import { ruleText } from "@toolkeep/core/internal";
import {
  type Policy,
  type PolicyMode,
  RECOMMENDED_POLICY,
  type WatchdogSettings,
} from "@toolkeep/core/policy";
import { accountHome, type PolicyPath } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

export type PolicySource = PolicyPath;

const MOST_BYTES = 1_000_000;

/** The mode of the configuration, and what an administrator says about modes. */
interface ChosenMode {
  readonly mode?: PolicyMode | undefined;
  /** Whether the administrator's configuration sets it. */
  readonly isManaged?: boolean;
  /** The modes that users may choose. Default: all. */
  readonly modes?: readonly PolicyMode[] | undefined;
}

/**
 * Combines the policy files of all layers, the administrator's first. Without a file of the user or the administrator,
 * the recommended rules apply. Deny rules of the user and the administrator are final. The file of a project adds
 * rules to these, and no mode or setting that permits more: its allow rules answer what no other file has a rule about.
 * A project file that differs from the trusted version adds only its deny and ask rules.
 * @throws CommandError, ToolkeepError `invalid_option` for a file that is missing or invalid.
 */
export async function readPolicies(
  sources: readonly PolicySource[],
  chosen: ChosenMode = {},
): Promise<Policy["definition"]> {
  const all = (await Promise.all(sources.map(readOne))).flat();
  const managed = all.filter(isManaged);
  const ofUser = all.filter((one) => !isManaged(one) && !one.isOfProject);
  const ofPeople = [...managed, ...ofUser];
  const read = [...ofPeople, ...all.filter(({ isOfProject }) => isOfProject)];
  const isReplaced = sources.some(({ layer }) => layer === "user" || layer === "managed");
  const mode = modeFor(ofPeople, chosen);
  const applied = mode === "observe" ? read.map(observing) : read;
  const rules = applied.flatMap(({ definition }) => definition.rules);
  const shadow = applied.flatMap(({ definition }) => definition.shadow ?? []);
  return {
    mode,
    rules: isReplaced ? rules : [...RECOMMENDED_POLICY.rules, ...rules],
    ...(shadow.length === 0 ? {} : { shadow }),
    builtIn: settingsOf(isReplaced ? read : [RECOMMENDED_SETTINGS, ...read]),
    ...languageOf(read),
    ...locksOf(read),
    ...(mode === "allowlist"
      ? { allowList: ofPeople.flatMap(({ definition }) => definition.allowList ?? []) }
      : {}),
  };
}

interface ReadPolicy extends ReadSettings {
  readonly definition: Policy["definition"];
  /** As the file says. */
  readonly mode?: PolicyMode;
}

function isManaged({ layer }: ReadSettings): boolean {
  return layer === "managed";
}

/**
 * The administrator's configuration, the administrator's policy, the user's configuration and the user's policy, in
 * this order. @throws CommandError for a mode that a user may not choose.
 */
function modeFor(read: readonly ReadPolicy[], chosen: ChosenMode): PolicyMode {
  const written = (is: (one: ReadPolicy) => boolean) =>
    read.findLast((one) => is(one) && one.mode !== undefined)?.mode;
  const managed = chosen.isManaged === true ? chosen.mode : written(isManaged);
  if (managed !== undefined) return managed;
  const { modes } = chosen;
  const own = chosen.mode ?? written((one) => !isManaged(one));
  if (own === undefined) return modes === undefined || modes.includes("ask") ? "ask" : (modes[0] ?? "ask");
  if (modes === undefined || modes.includes(own)) return own;
  throw new CommandError(`Your administrator does not allow the mode ${own}: no call can be decided.`, {
    hint: `Set \`mode\` to ${modes.length === 0 ? "nothing" : modes.join(" or ")}, or remove it.`,
  });
}

/** In the mode `observe`, only what the administrator denies or makes final holds: docs/guides/policy-file.md. */
function observing(read: ReadPolicy): ReadPolicy {
  if (isManaged(read)) return read;
  const weaker = ({ final: _, ...rule }: Rule): Rule => ({ ...rule, scope: "project" });
  return { ...read, definition: changingRules(read.definition, (rules) => rules.map(weaker)) };
}

/** Rules on trial get what those that hold get. */
function changingRules(
  { rules, shadow, ...others }: Policy["definition"],
  change: (rules: readonly Rule[]) => readonly Rule[],
): Policy["definition"] {
  return { ...others, rules: change(rules), ...(shadow === undefined ? {} : { shadow: change(shadow) }) };
}

/** The modes in project files, which do not apply: a project must not decide that nothing is asked. */
export async function ignoredModes(sources: readonly PolicySource[]): Promise<readonly string[]> {
  const ofProject = sources.filter(({ layer }) => layer === "project" || layer === "local");
  const notes = ofProject.map(async (source) =>
    (await readOne(source)).flatMap(({ definition: { mode = "ask" } }) =>
      mode === "ask"
        ? []
        : [
            `${source.path}: \`mode: ${mode}\` does not apply, because a project cannot set it. Set it in your own policy.`,
          ],
    ),
  );
  return (await Promise.all(notes)).flat();
}

/** The parser is loaded on demand, because a hook runs before every call. */
async function readOne(source: PolicySource): Promise<readonly ReadPolicy[]> {
  const { policyDefinition, parsePolicy } = await import("@toolkeep/policy");
  const { path, layer, text, narrows } = source;
  const isOfProject = layer === "project" || layer === "local";
  // The text of a project's file was read when it was compared with the trusted version.
  const written = isOfProject ? (text ?? refuseUnread(path)) : readBounded(path);
  const parse = (home: string) =>
    parsePolicy(written, {
      file: path,
      scope: isOfProject ? "project" : "manifest",
      home,
      // A file that the project's file extends is not part of the trusted version.
      extends: (name) => (isOfProject ? undefined : readExtended(path, name)),
    });
  const file = parse(layer === "managed" ? accountHome() : homedir());
  const read = () => withMarks(policyDefinition(file), source);
  const definition = narrows === undefined ? read() : narrowed(read);
  if (definition === undefined) return [];
  const { builtIn = {} } = definition;
  const settings: WatchdogSettings = builtIn === "off" ? {} : builtIn;
  const mode = file.mode === undefined ? {} : { mode: file.mode };
  const moved = layer === "managed" && homedir() !== accountHome() ? parse(homedir()) : undefined;
  const rules = [...definition.rules, ...(moved?.definition?.rules ?? []).filter(isNarrowing)];
  const shadow = [...(definition.shadow ?? []), ...(moved?.definition?.shadow ?? []).filter(isNarrowing)];
  const all = { ...definition, rules, ...(shadow.length === 0 ? {} : { shadow }) };
  return [{ definition: all, layer, isOfProject, settings, ...mode }];
}

/** A project's rules yield to asks of others. @throws ToolkeepError `invalid_rule` for a final rule that loosens. */
function withMarks(definition: Policy["definition"], { path, layer }: PolicySource): Policy["definition"] {
  if (layer === "managed") return definition;
  const { rules, shadow = [] } = definition;
  const final = [...rules, ...shadow].find(
    (rule) => rule.final === true && (layer !== "user" || rule.action === "allow"),
  );
  if (final !== undefined) {
    const who =
      layer === "user" ? "Only your administrator can make an allow" : "A project cannot make a rule";
    const message = `${final.at ?? path}: ${who} final. Remove \`final\` from \`${ruleText(final)}\`.`;
    throw new ToolkeepError("invalid_rule", message);
  }
  if (layer === "user") return definition;
  return changingRules(definition, (own) => own.map((rule) => ({ ...rule, yieldsToAsk: true })));
}

function isNarrowing({ action }: Rule): boolean {
  return action !== "allow";
}

function refuseUnread(path: string): never {
  throw new CommandError(`The project policy ${path} was not read when the project was trusted.`, {
    hint: "Run `toolkeep trust`.",
  });
}

/** A changed file that is invalid adds no rules; its trusted version is read in addition. */
function narrowed(read: () => Policy["definition"]): Policy["definition"] | undefined {
  try {
    return changingRules(read(), narrowingOf);
  } catch (error) {
    if (error instanceof CommandError || !ToolkeepError.isInstance(error)) throw error;
    return undefined;
  }
}

/** Every deny rule overrides an ask rule from an untrusted file. */
function narrowingOf(rules: readonly Rule[]): readonly Rule[] {
  return rules
    .filter(isNarrowing)
    .map((rule) => (rule.action === "ask" ? { ...rule, yieldsToDeny: true } : rule));
}

/** Those of every layer: a lock makes calls wait, and permits nothing. */
function locksOf(read: readonly ReadPolicy[]): Partial<Pick<Policy["definition"], "locks">> {
  const locks = new Set(read.flatMap(({ definition }) => definition.locks ?? []));
  return locks.size === 0 ? {} : { locks: [...locks] };
}

/** The language of `when`, if a rule has one. */
function languageOf(read: readonly ReadPolicy[]): Partial<Pick<Policy["definition"], "conditions">> {
  const conditions = read.find(({ definition }) => definition.conditions !== undefined)?.definition
    .conditions;
  return conditions === undefined ? {} : { conditions };
}

interface ReadSettings {
  readonly isOfProject: boolean;
  readonly layer: PolicySource["layer"] | "built-in";
  readonly settings: WatchdogSettings;
}

const RECOMMENDED_SETTINGS: ReadSettings = {
  isOfProject: false,
  layer: "built-in",
  settings: RECOMMENDED_POLICY.builtIn,
};

/** The administrator's settings apply, then the user's. Other layers only make a watchdog stricter or enable it. */
function settingsOf(read: readonly ReadSettings[]): WatchdogSettings {
  const all: Record<string, Setting> = {};
  for (const { settings } of read.filter(isManaged)) Object.assign(all, settings);
  const managed = new Set(Object.keys(all));
  for (const { settings, isOfProject } of read.filter((one) => !isManaged(one))) {
    for (const [name, value] of Object.entries(settings) as [string, Setting][]) {
      const isFree = !isOfProject && !managed.has(name);
      if (isFree || isStricter(value, { than: all[name], isLoop: name === "loop" })) all[name] = value;
    }
  }
  return all as WatchdogSettings;
}

type Setting = WatchdogSettings[keyof WatchdogSettings];

/** A watchdog without a setting uses its default, which may be to deny; without a number, `loop` is off. */
function isStricter(
  value: Setting,
  { than, isLoop }: { readonly than: Setting; readonly isLoop: boolean },
): boolean {
  if (value === undefined || value === "off") return false;
  if (isLoop) return typeof value === "number" && (typeof than !== "number" || value < than);
  return than === "off" || value === "deny";
}

/** A file that another one extends, relative to it; `undefined` if it does not exist. */
function readExtended(path: string, name: string): string | undefined {
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
      hint: "Check the path after --policy, or `policy` in the configuration.",
    });
  }
}
