import type { Principal } from "@toolkeep/core";
import { closestName, visible } from "@toolkeep/core/internal";
import {
  type CatalogFile,
  type Config,
  createProjectTrust,
  directories,
  formatConfigDiagnostic,
  type PolicyPath,
  readConfig,
} from "@toolkeep/node/internal";
import type { PolicyFile } from "@toolkeep/policy";
import { atHome } from "../../terminal/at-home.ts";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import { hiddenValue } from "../../terminal/hidden-value.ts";
import { shownValue } from "../../terminal/shown-value.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { parsedFile } from "../policy-files.ts";
import { programPrincipal, verifiedPrincipal } from "../program-principal.ts";
import { policySources } from "../read-project.ts";
import { ignoredNote, trustState, trustText } from "../trust-state.ts";
import { type EffectiveSetting, effectiveSettings, type ModeOrigin } from "./effective-settings.ts";
import { MEANINGS } from "./variable-meanings.ts";

/** Shows every setting of a project with its origin. Nothing of an untrusted project is read. */
export async function showConfig(project: string, terminal: Terminal): Promise<number> {
  const reading = await readConfig({ cwd: project, trust: createProjectTrust({ again: "changed" }) });
  const { config, diagnostics, untrusted } = reading;
  const policies = config === undefined ? [] : policyOrder(config, terminal.cwd);
  const settings = effectiveSettings(reading, { mode: modeOf(policies), config });
  const catalog = (config?.catalog ?? []).map(({ entry: { program }, ...one }) => ({ program, ...one }));
  const variables = knownVariables();
  const { config: ofUser, state, managedConfig } = directories();
  const folders = { config: ofUser, state, managedConfig };
  const { principal, refusal } = await shownPrincipal(config);
  const read = {
    ...reading,
    ...(config && { config: { ...config, policy: policySources(config, terminal) } }),
  };
  const trusted = await trustState(reading.project, project, read);
  terminal.show(
    {
      project: reading.project,
      trust: trusted,
      isValid: config !== undefined,
      ...(untrusted === undefined ? {} : { untrusted }),
      ...{ settings, policies, catalog, principal, variables, folders, diagnostics },
    },
    [
      `Trust: ${trustText(trusted)}`,
      ...settingLines(settings),
      ...policyLines(policies),
      ...catalogLines(catalog),
      ...principalLines(principal),
      ...variableLines(variables),
      "Folders",
      `  your configuration  ${shownPath(ofUser)}`,
      `  trust and audit log ${shownPath(state)}`,
      `  administrator       ${shownPath(managedConfig)}`,
    ],
  );
  for (const one of diagnostics) terminal.note(formatConfigDiagnostic(one));
  if (refusal !== undefined) terminal.note(refusal);
  const ignored = ignoredNote(trusted);
  if (ignored !== undefined) terminal.note(ignored);
  if (refusal !== undefined) return EXIT.failure;
  return config === undefined || policies.some(({ error }) => error !== undefined) ? EXIT.failure : EXIT.ok;
}

/** No user, and why, where a token is needed and there is none that is valid. */
async function shownPrincipal(
  config: Config | undefined,
): Promise<{ readonly principal: Partial<Principal>; readonly refusal?: string }> {
  try {
    return { principal: config === undefined ? programPrincipal() : await verifiedPrincipal(config) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { principal: {}, refusal: error.message };
  }
}

function settingLines(settings: readonly EffectiveSetting[]): readonly string[] {
  const width = Math.max(...settings.map(({ key }) => key.length));
  return [
    "Settings",
    ...settings.flatMap(({ key, value, overrides, ...origin }) => [
      `  ${visible(key).padEnd(width)}  ${valueText(value)}  (${originText(origin)})`,
      ...overrides.map(
        (one) =>
          `  ${" ".repeat(width)}  overrides ${valueText(one.value)}  (${originText({ ...one, source: one.layer })})`,
      ),
    ]),
  ];
}

const LAYERS: Readonly<Record<EffectiveSetting["source"] | AppliedPolicy["layer"], string>> = {
  default: "default",
  policy: "policy file",
  user: "yours",
  project: "project",
  local: "project, local",
  managed: "administrator",
  "built-in": "built in",
};

function originText({ source, file, line }: Pick<EffectiveSetting, "source" | "file" | "line">): string {
  if (file === undefined) return LAYERS[source];
  return `${LAYERS[source]}, ${shownPath(file)}${line === undefined ? "" : `:${line}`}`;
}

function valueText(value: unknown): string {
  if (value === null) return "not set";
  if (Array.isArray(value) && value.length === 0) return "none";
  return visible(typeof value === "string" ? value : JSON.stringify(value));
}

export function policyLines(policies: readonly AppliedPolicy[]): readonly string[] {
  if (policies.length === 0) return [];
  return [
    "Policy files, in the order in which they are read",
    ...policies.map(({ path, layer, rules, narrows, error }, index) => {
      const about = [
        LAYERS[layer],
        ...(rules === undefined ? [] : [`${rules} rules`]),
        ...(narrows === true ? ["only its deny and ask rules apply"] : []),
        ...(error === undefined ? [] : [`invalid, so every call is blocked: ${visible(error)}`]),
      ];
      return `  ${index + 1} ${shownPath(path)}  (${about.join(", ")})`;
    }),
  ];
}

function catalogLines(
  catalog: readonly (Pick<CatalogFile, "file" | "layer" | "rank"> & { readonly program: string })[],
): readonly string[] {
  if (catalog.length === 0) return [];
  return [
    "Entries of programs",
    ...catalog.map(({ program, file, layer, rank }) => {
      const about = rank === "first" ? LAYERS[layer] : `${LAYERS[layer]}, narrows what is known`;
      return `  ${visible(program)}  ${shownPath(file)}  (${about})`;
    }),
  ];
}

function principalLines({ user, groups = [], environment }: Partial<Principal>): readonly string[] {
  return [
    "On whose behalf calls are made",
    `  user         ${user === undefined ? "unknown" : visible(user)}`,
    `  groups       ${groups.length === 0 ? "none" : groups.map((group) => visible(group)).join(", ")}`,
    `  environment  ${environment === undefined ? "not set" : visible(environment)}`,
  ];
}

function variableLines(variables: readonly KnownVariable[]): readonly string[] {
  if (variables.length === 0) return [];
  return [
    "Variables of the environment",
    ...variables.map(
      ({ name, value, meaning }) => `  ${visible(name)}=${valueText(value)}  ${visible(meaning)}`,
    ),
  ];
}

function shownPath(path: string): string {
  return visible(atHome(path));
}

/** A variable of the environment that is set, and what it does. */
interface KnownVariable {
  readonly name: string;
  readonly value: unknown;
  readonly meaning: string;
}

const PROXY = /_PROXY$/;

/** The variables that are set and change what Toolkeep does; and those that look as if they were meant to. */
export function knownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly KnownVariable[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) => {
      const meaning = meaningOf(name);
      if (meaning === undefined || value === "") return [];
      return [{ name, value: PROXY.test(name) ? hiddenValue(value) : shownValue(name, value), meaning }];
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function meaningOf(name: string): string | undefined {
  if (Object.hasOwn(MEANINGS, name)) return MEANINGS[name];
  if (!name.startsWith("TOOLKEEP_")) return undefined;
  const near = closestName(name, Object.keys(MEANINGS));
  return `unknown, so it does nothing${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** A policy file that applies, or why it does not. */
export interface AppliedPolicy {
  readonly path: string;
  readonly layer: PolicyPath["layer"] | "built-in";
  /** Its own rules, without those of files that it extends. */
  readonly rules?: number;
  /** As the file says. That of a project does not apply. */
  readonly mode?: string;
  /** Only its deny and ask rules apply, because the project has changed since it was trusted. */
  readonly narrows?: true;
  /** The first error. While a file is invalid, every call is blocked. */
  readonly error?: string;
}

/** The policy files in the order in which they are read; without any, the recommended policy. */
export function policyOrder(config: Config, cwd: string): readonly AppliedPolicy[] {
  const sources = policySources(config, { cwd });
  const files = sources.map(appliedPolicy);
  const isReplaced = sources.some(({ layer }) => layer === "user" || layer === "managed");
  return isReplaced ? files : [{ path: "toolkeep:recommended", layer: "built-in" }, ...files];
}

function appliedPolicy(source: PolicyPath): AppliedPolicy {
  const { path, layer, narrows } = source;
  const base = { path, layer, ...(narrows === undefined ? {} : { narrows: true as const }) };
  try {
    const { ownRules, mode, diagnostics } = parsed(source);
    const [first] = diagnostics;
    return {
      ...base,
      rules: ownRules.length,
      ...(mode === undefined ? {} : { mode }),
      ...(first === undefined ? {} : { error: `Line ${first.line}: ${first.message}` }),
    };
  } catch (error) {
    if (error instanceof CommandError) return { ...base, error: error.message };
    throw error;
  }
}

/** The text of a project's file is that which was trusted: the file itself is not read again. */
function parsed({ path, layer, text }: PolicyPath): PolicyFile {
  if (layer !== "project" && layer !== "local") return parsedFile({ name: path, path });
  if (text === undefined) throw new CommandError("The file was not read when the project was trusted.");
  return parsedFile({ name: path, path, text });
}

/** The mode of the policy files: the administrator's, or that of the user if the configuration sets none. */
function modeOf(policies: readonly AppliedPolicy[]): ModeOrigin {
  const managed = policies.findLast(({ layer, mode }) => layer === "managed" && mode !== undefined);
  const found = managed ?? policies.findLast(({ layer, mode }) => layer === "user" && mode !== undefined);
  if (found?.mode === undefined) return { value: "ask" };
  return { value: found.mode, file: found.path, ...(managed === undefined ? {} : { isManaged: true }) };
}
