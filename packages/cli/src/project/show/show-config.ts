import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import {
  type Config,
  createProjectTrust,
  directories,
  formatConfigDiagnostic,
  readConfig,
} from "@toolkeep/node/internal";
import { atHome } from "../../terminal/at-home.ts";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { programPrincipal, verifiedPrincipal } from "../program-principal.ts";
import { type EffectiveSetting, effectiveSettings } from "./effective-settings.ts";
import { type KnownVariable, knownVariables } from "./known-variables.ts";
import { type AppliedPolicy, modeOf, policyOrder } from "./policy-order.ts";

/** Shows every setting of a project with its origin. Nothing of an untrusted project is read. */
export async function showConfig(project: string, terminal: Terminal): Promise<number> {
  const reading = await readConfig({ cwd: project, trust: createProjectTrust({ again: "changed" }) });
  const { config, diagnostics, untrusted } = reading;
  const policies = config === undefined ? [] : policyOrder(config, terminal.cwd);
  const settings = effectiveSettings(reading, { mode: modeOf(policies), config });
  const variables = knownVariables();
  const { config: ofUser, state, managedConfig } = directories();
  const folders = { config: ofUser, state, managedConfig };
  const { principal, refusal } = await shownPrincipal(config);
  terminal.show(
    {
      project: reading.project,
      isValid: config !== undefined,
      ...(untrusted === undefined ? {} : { untrusted }),
      ...{ settings, policies, principal, variables, folders, diagnostics },
    },
    [
      ...settingLines(settings),
      ...policyLines(policies),
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
  if (untrusted !== undefined && existsSync(join(reading.project, ".toolkeep")))
    terminal.note(untrustedNote(reading.project, reading.changed));
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

function untrustedNote(project: string, changed: readonly string[] | undefined): string {
  const what =
    changed === undefined
      ? "are not trusted, so they were not read"
      : "have changed since they were trusted, so only what narrows applies";
  return visible(
    `The configuration and the tools of ${project} ${what}. Run \`toolkeep trust\` to review it.`,
  );
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

function policyLines(policies: readonly AppliedPolicy[]): readonly string[] {
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
