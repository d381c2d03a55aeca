import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Principal, Rule } from "@toolkeep/core";
import { closestName, defined, isWithin, nameProgram, ruleText } from "@toolkeep/core/internal";
import { onlyTools, type Policy, type PolicyMode, type Watchdog } from "@toolkeep/core/policy";
import {
  type Config,
  type ConfigOrigin,
  type ConfigReading,
  createProjectTrust,
  directories,
  formatConfigDiagnostic,
  readConfig,
} from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";
import { VERSION } from "../terminal/version.ts";
import { OWN_TOOLS, UNKNOWN_FACTS } from "./known-names.ts";
import { assertManaged, isManagedBy } from "./managed-settings.ts";
import { verifiedPrincipal } from "./program-principal.ts";
import { realFolder } from "./project-folder.ts";
import { ignoredModes, type PolicySource, readPolicies } from "./read-policies.ts";
import { ignoredNote, type TrustState, trustCommand, trustState } from "./trust-state.ts";
import { ownFilesWatchdog } from "./watchdogs/own-files-watchdog.ts";
import { sandboxWatchdog } from "./watchdogs/sandbox-watchdog.ts";
import { wideWorkspaceWatchdog } from "./watchdogs/wide-workspace-watchdog.ts";

/** The configuration and the policy of a project. */
export interface Project {
  /** What it was read with: the same options read it again. */
  readonly source: ReadProjectOptions;
  /** The canonical path that `{workspace}` stands for. */
  readonly root: string;
  readonly config: Config;
  readonly policy: Policy["definition"];
  /** The policy file that the user adds rules to. It may not exist yet. */
  readonly policyFile: string;
  /** Whether the user trusts the project, so that its own scripts may run. */
  readonly isTrusted: boolean;
  /** Whether an administrator sets anything that decides about calls. */
  readonly isManaged: boolean;
  /** On whose behalf calls are made: the user of this process or of its token, in the environment that the administrator names. */
  readonly principal: Partial<Principal>;
  /** The directory of the session store. */
  readonly storeFolder: string;
  /** Notes for the user, e.g. that the project's own configuration is ignored. */
  readonly notes: readonly string[];
  /** What of it the user trusts. What is ignored of it is among the notes. */
  readonly trust: TrustState;
  /** Why the project's own tools and settings are not used; missing if they are. */
  readonly untrusted?: string;
  /** What of the configuration does not apply. */
  readonly warnings?: ConfigReading["diagnostics"];
  /** Where each setting of the configuration is written. */
  readonly origins?: ConfigReading["origins"];
}

export interface ReadProjectOptions {
  readonly cwd: string;
  /** The project directory. Default: the repository that contains `cwd`, otherwise `cwd`. */
  readonly folder?: string | undefined;
  /** Is read in place of the policy files of the user and the project. Those of the administrator apply all the same. */
  readonly policyFile?: string | undefined;
}

/** For tests. No option, variable or file of a user leads here. */
interface Machine {
  /** The administrator's configuration. Default: the one of this machine. */
  readonly managed?: string;
}

/**
 * Reads the configuration and the policy that apply. The files of an untrusted project are ignored; of a project that
 * changed since it was trusted, only deny and ask rules apply.
 * @throws CommandError for a directory that does not exist, and for an invalid configuration or policy.
 */
export async function readProject(source: ReadProjectOptions, machine: Machine = {}): Promise<Project> {
  nameProgram({ name: "toolkeep", version: VERSION });
  const { cwd, folder, policyFile } = source;
  const named = folder === undefined ? undefined : await realFolder(resolve(cwd, folder));
  const start = named ?? resolve(cwd);
  const trust = createProjectTrust({ again: "changed" });
  const reading = await readConfig({ ...machine, cwd: start, trust });
  const notes = reading.diagnostics.map(formatConfigDiagnostic);
  const { config } = reading;
  if (config === undefined) throw invalidConfig("no call can be decided", reading);
  const root = named ?? reading.project;
  const sources = policySources(config, { cwd, policyFile });
  const trusted = await trustState(root, start, { ...reading, config: { ...config, policy: sources } });
  const ignored = ignoredNote(trusted);
  notes.push(...(ignored === undefined ? [] : [ignored]));
  assertManaged(reading);
  const { mode, modes } = config;
  const policy = await readPolicies(sources, { mode, modes, isManaged: isManagedBy(reading, ["mode"]) });
  const rules = [...policy.rules, ...(policy.shadow ?? [])];
  assertKnownFacts(rules, config);
  notes.push(...(await ignoredModes(sources)), ...mistypedNames(rules, config));
  return {
    source,
    root,
    config,
    policy: {
      ...policy,
      watchdogs: [
        ownFilesWatchdog(),
        ...wideWorkspaceWatchdog(root),
        ...sandboxWatchdog(reading.origins),
        ...toolLists(reading.origins, policy.mode),
      ],
    },
    policyFile: sources.findLast(({ layer }) => layer === "user")?.path ?? ownPolicyFile(),
    isTrusted: trusted.scripts === "run",
    trust: trusted,
    isManaged: isManagedBy(reading),
    principal: await verifiedPrincipal(config),
    storeFolder: storeFolderOf(config),
    notes,
    ...defined({ untrusted: reading.untrusted }),
    warnings: reading.diagnostics,
    origins: reading.origins,
  };
}

/**
 * Lists the errors of a configuration. The hint names the file and the line of the first one; of a project that changed
 * since it was trusted, how to review it.
 */
export function invalidConfig(
  consequence: string,
  { diagnostics, changed, project }: Pick<ConfigReading, "diagnostics" | "changed" | "project">,
): CommandError {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const lines = [`Invalid configuration: ${consequence}.`, ...errors.map(formatConfigDiagnostic)];
  if (first === undefined) return new CommandError(lines.join("\n"));
  const isOld = changed !== undefined && isWithin(first.file, project);
  const hint = isOld
    ? `Run \`${trustCommand(project)}\` to review it.`
    : `Fix ${first.file}, line ${first.line}.`;
  return new CommandError(lines.join("\n"), { hint });
}

/** The directory of the session store, which all projects of a user share. */
export function storeFolderOf({ journal }: Pick<Config, "journal">): string {
  return journal.folder ?? join(directories().state, "sessions");
}

/** The policy files that apply, the administrator's first. */
export function policySources(
  config: Config,
  { cwd, policyFile }: Pick<ReadProjectOptions, "cwd" | "policyFile">,
): readonly PolicySource[] {
  const managed = config.policy.filter(({ layer }) => layer === "managed");
  if (policyFile !== undefined) return [...managed, { path: resolve(cwd, policyFile), layer: "user" }];
  const others = config.policy.filter(({ layer }) => layer !== "managed");
  const isNamed = others.some(({ layer }) => layer === "user");
  const own = isNamed ? [] : [ownPolicyFile()].filter((path) => existsSync(path));
  return [...managed, ...own.map((path) => ({ path, layer: "user" as const })), ...others];
}

/** The policy of a user whose configuration names none. */
function ownPolicyFile(): string {
  return join(directories().config, "policy.yaml");
}

/** A deny with a condition about what is never known here would deny nothing. @throws CommandError */
function assertKnownFacts(
  rules: readonly Rule[],
  { environment, identity }: Pick<Config, "environment" | "identity">,
): void {
  const known = new Set([
    ...(environment === undefined ? [] : ["environment"]),
    ...(identity.issuer === undefined ? [] : ["agent"]),
    ...(identity.tenantClaim === undefined ? [] : ["tenant"]),
  ]);
  for (const { if: conditions = [], at } of rules)
    for (const condition of conditions) {
      const [, fact = ""] = /^(?:not )?([a-z-]+) /.exec(condition) ?? [];
      const hint = Object.hasOwn(UNKNOWN_FACTS, fact) ? UNKNOWN_FACTS[fact] : undefined;
      if (hint === undefined || known.has(fact)) continue;
      const place = at === undefined ? "" : `${at}: `;
      const message = `${place}The condition \`${condition}\` can never be decided here, because no ${fact} is known: no call can be decided.`;
      throw new CommandError(message, { hint });
    }
}

/** Warnings about rules and settings for tools that are probably mistyped. Tools of servers have names of their own. */
function mistypedNames(
  rules: readonly Rule[],
  { tools, denied }: Pick<Config, "tools" | "denied">,
): readonly string[] {
  const written = [
    ...rules.map((rule) => ({
      name: rule.permission,
      text: `${rule.at === undefined ? "" : `${rule.at}: `}The rule \`${ruleText(rule)}\``,
    })),
    ...Object.keys(tools).map((name) => ({ name, text: `The setting \`tools.${name}\`` })),
    ...denied.map((name) => ({ name, text: `The entry ${JSON.stringify(name)} of \`denied\`` })),
  ];
  return [...new Set(written.flatMap(({ name, text }) => warningOf(name, text)))];
}

function warningOf(name: string, text: string): readonly string[] {
  if (!/^[A-Za-z_]+$/.test(name) || OWN_TOOLS.includes(name)) return [];
  const near = closestName(name, OWN_TOOLS);
  return near === undefined ? [] : [`${text} names no tool. Did you mean \`${near}\`?`];
}

/**
 * The watchdogs of `allowed`, `denied` and `tools.NAME.enabled`. A tool must be on every list of allowed tools and on
 * none of denied ones, in all files. In the mode `observe`, lists stop nothing unless they are the
 * administrator's.
 */
function toolLists(origins: ConfigReading["origins"], mode: PolicyMode | undefined): readonly Watchdog[] {
  const lists = [...origins].flatMap(([key, written]) =>
    written.flatMap((origin) => {
      const list = listOf(key, origin);
      if (list === undefined) return [];
      return [mode === "observe" && origin.layer !== "managed" ? asking(list) : list];
    }),
  );
  return lists;
}

function listOf(key: string, { value }: ConfigOrigin): Watchdog | undefined {
  if (key === "allowed") return onlyTools({ include: value as readonly string[] });
  if (key === "denied") return onlyTools({ exclude: value as readonly string[] });
  const [, tool] = /^tools\.(.+)\.enabled$/.exec(key) ?? [];
  return tool === undefined || value !== false ? undefined : onlyTools({ exclude: [tool] });
}

function asking(watchdog: Watchdog): Watchdog {
  return {
    ...watchdog,
    async evaluate(call, context) {
      const verdict = await watchdog.evaluate(call, context);
      return verdict.action === "deny" ? { ...verdict, action: "ask" } : verdict;
    },
  };
}
