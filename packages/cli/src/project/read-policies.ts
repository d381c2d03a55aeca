import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { PolicyDefinition, PolicyMode, WatchdogSettings } from "@toolkeep/core";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { definitionOf, type PolicyPath, readPolicy } from "@toolkeep/node";
import { CommandFault } from "../terminal/command-fault.ts";

export type PolicySource = PolicyPath;

const MOST_BYTES = 1_000_000;

/**
 * Puts the policy files of all layers together; the recommended rules where there is none. What the user and
 * whoever runs the machine deny is final. A project's file brings rules, and no mode or setting that widens.
 * @throws CommandFault, ToolkeepError `invalid_option` for a file that is missing or not right.
 */
export function readPolicies(
  sources: readonly PolicySource[],
  mode: PolicyMode | undefined,
): PolicyDefinition {
  if (sources.length === 0) return { ...RECOMMENDED_POLICY, mode: mode ?? "ask" };
  const read = sources.map(readOne);
  const ofUser = read.filter(({ isOfProject }) => !isOfProject);
  const strongest = ofUser.at(-1)?.definition ?? { mode: "ask" as const };
  const settled = mode ?? strongest.mode ?? "ask";
  return {
    mode: settled,
    rules: read.flatMap(({ definition }) => definition.rules ?? []),
    shipped: Object.assign({}, ...read.map(({ settings }) => settings)) as WatchdogSettings,
    ...(settled === "allowlist"
      ? { allowList: ofUser.flatMap(({ definition }) => definition.allowList ?? []) }
      : {}),
  };
}

function readOne({ path, layer }: PolicySource) {
  const isOfProject = layer === "project" || layer === "local";
  const definition = definitionOf(
    readPolicy(readBounded(path), {
      file: path,
      scope: isOfProject ? "project" : "manifest",
      home: homedir(),
      // What a trusted project's file extends is not among what was trusted.
      extends: (name) => (isOfProject ? undefined : readBeside(path, name)),
    }),
  );
  const { shipped = {} } = definition;
  const settings: WatchdogSettings = shipped === "off" ? {} : shipped;
  return { definition, isOfProject, settings: isOfProject ? narrowing(settings) : settings };
}

/** A project may wake a watchdog and not put one to sleep. */
function narrowing(settings: WatchdogSettings): WatchdogSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== "off"));
}

/** A file that another extends, by its name from there; `undefined` if there is none. */
function readBeside(path: string, name: string): string | undefined {
  const other = resolve(dirname(path), name);
  return existsSync(other) ? readBounded(other) : undefined;
}

function readBounded(path: string): string {
  try {
    if (statSync(path).size > MOST_BYTES)
      throw new CommandFault(`The policy ${path} is larger than ${MOST_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new CommandFault(`The policy ${path} cannot be read (${code}).`, {
      hint: "Check the path after --policy, or under `policy` in the configuration.",
    });
  }
}
