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
import type { PolicyPath } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

export type PolicySource = PolicyPath;

const MOST_BYTES = 1_000_000;

/**
 * Combines the policy files of all layers; without any file, the recommended policy applies. Deny rules of the user
 * and the administrator are final. The file of a project adds rules, and no mode or setting that permits more. A
 * project file that differs from the trusted version adds only its deny and ask rules, and if it replaced the
 * recommended policy, the allow rules of that policy do not apply again.
 * @throws CommandError, ToolkeepError `invalid_option` for a file that is missing or invalid.
 */
export async function readPolicies(
  sources: readonly PolicySource[],
  mode: PolicyMode | undefined,
): Promise<Policy["definition"]> {
  const isReplaced = sources.some(({ narrows }) => narrows !== "added");
  const read = (await Promise.all(sources.map(readOne))).flat();
  if (!isReplaced) return { ...RECOMMENDED_POLICY, ...withRules(read), mode: mode ?? "ask" };
  const ofUser = read.filter(({ isOfProject }) => !isOfProject);
  const strongest = ofUser.at(-1)?.definition ?? { mode: "ask" as const };
  const effective = mode ?? strongest.mode ?? "ask";
  return {
    mode: effective,
    rules: [
      ...(ofUser.length === 0 ? narrowedDefaults(sources) : []),
      ...rulesOf(effective === "observe" ? read.map(observing) : read),
    ],
    builtIn: settingsOf(read),
    ...(effective === "allowlist"
      ? { allowList: ofUser.flatMap(({ definition }) => definition.allowList ?? []) }
      : {}),
  };
}

interface ReadPolicy extends ReadSettings {
  readonly definition: Policy["definition"];
  readonly layer: PolicySource["layer"];
}

/** In the mode `observe`, only denies of the administrator are final. */
function observing(read: ReadPolicy): ReadPolicy {
  if (read.layer === "managed") return read;
  const rules = read.definition.rules.map((rule): Rule => ({ ...rule, scope: "project" }));
  return { ...read, definition: { ...read.definition, rules } };
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
async function readOne({ path, layer, text, narrows }: PolicySource): Promise<readonly ReadPolicy[]> {
  const { definitionOf, parsePolicy } = await import("@toolkeep/policy");
  const isOfProject = layer === "project" || layer === "local";
  const read = () =>
    definitionOf(
      // The text of a project's file was read when it was compared with the trusted version.
      parsePolicy(isOfProject ? (text ?? refuseUnread(path)) : readBounded(path), {
        file: path,
        scope: isOfProject ? "project" : "manifest",
        home: homedir(),
        // A file that the project's file extends is not part of the trusted version.
        extends: (name) => (isOfProject ? undefined : readExtended(path, name)),
      }),
    );
  const definition = narrows === undefined ? read() : narrowed(read);
  if (definition === undefined) return [];
  const { builtIn = {} } = definition;
  const settings: WatchdogSettings = builtIn === "off" ? {} : builtIn;
  return [{ definition, layer, isOfProject, settings }];
}

function refuseUnread(path: string): never {
  throw new CommandError(`The project policy ${path} was not read when the project was trusted.`, {
    hint: "Run `toolkeep trust`.",
  });
}

/** A changed file that is invalid adds no rules; its trusted version is read in addition. */
function narrowed(read: () => Policy["definition"]): Policy["definition"] | undefined {
  try {
    const { rules = [], ...others } = read();
    return { ...others, rules: narrowingOf(rules) };
  } catch (error) {
    if (error instanceof CommandError || !ToolkeepError.isInstance(error)) throw error;
    return undefined;
  }
}

/** Every deny rule overrides an ask rule from an untrusted file. */
function narrowingOf(rules: readonly Rule[]): readonly Rule[] {
  return rules
    .filter(({ action }) => action !== "allow")
    .map((rule) => (rule.action === "ask" ? { ...rule, yieldsToDeny: true } : rule));
}

/** The deny and ask rules of the recommended policy, if only changed project files replaced it. */
function narrowedDefaults(sources: readonly PolicySource[]): readonly Rule[] {
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

/** The settings of the user apply as they are; a project may only make a watchdog stricter or enable it. */
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
