import { isAbsolute, join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isWithin, unknownFile } from "@toolkeep/core/internal";
import type { Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { type Directories, directories, realOf } from "@toolkeep/node/internal";

const ALLOW: WatchdogVerdict = { action: "allow" };
const HOME_VARIABLE = /\$\{?TOOLKEEP_HOME/;

interface OwnPaths {
  /** Variables that stand for them in a command. */
  readonly variables: readonly RegExp[];
  /** Whatever changes them asks. */
  readonly changed: readonly string[];
  /** Whatever reads them asks. */
  readonly read: readonly string[];
}

/**
 * Asks about every call that changes the configuration or the state of Toolkeep, or the settings that decide whether a
 * client runs its hooks, wherever these are: the built-in rules know only their default paths. Reading the state asks
 * too, because it contains tokens.
 */
export function ownFilesWatchdog(
  { config, state, data, run }: Directories = directories(),
  { paths, variables }: MovedSettings = movedSettings(),
): Watchdog {
  const own = {
    variables: [HOME_VARIABLE],
    changed: withReal([config, state, data, run]),
    read: withReal([state, run]),
  };
  const clients = { variables, changed: withReal(paths), read: [] };
  return {
    name: "own-files",
    evaluate({ effects }) {
      return asks(effects, own, OWN) ?? asks(effects, clients, OF_CLIENTS) ?? ALLOW;
    },
  };
}

const OWN = "The call reaches the configuration or the state of Toolkeep.";
const OF_CLIENTS = "The call reaches settings that decide whether a client runs its hooks.";

/** A file that is written and not known may be one of them. */
function asks(effects: readonly Effect[], paths: OwnPaths, reason: string): WatchdogVerdict | undefined {
  const found = effects.find((effect) => reaches(effect, paths));
  if (found === undefined) return undefined;
  const isNamed = found.capability.startsWith("shell.") || !/[*?{[]/.test(found.target);
  const said = isNamed ? reason : reason.replace("reaches", "may reach");
  return { action: "ask", reason: unknownFile(found) ?? said };
}

function reaches(effect: Effect, { variables, changed, read }: OwnPaths): boolean {
  const { capability, target } = effect;
  if (capability.startsWith("shell."))
    return changed.some((path) => target.includes(path)) || variables.some((one) => one.test(target));
  if (capability === "fs.read") return unknownFile(effect) === undefined && mayReach(target, read);
  // What is deleted or moved takes along what is in it.
  if (capability === "fs.delete" && changed.some((path) => isWithin(path, target))) return true;
  return capability.startsWith("fs.") && mayReach(target, changed);
}

/** Whether a path is in one of the folders, or a pattern may match in one, or one that it is in. */
function mayReach(target: string, folders: readonly string[]): boolean {
  const isWild = /[*?{[]/.test(target);
  const names = (target.split("/**")[0] ?? "").split("/");
  return folders.some((folder) => {
    const own = folder.split("/");
    return (isWild || names.length >= own.length) && own.every((name, at) => mayBe(names[at], name));
  });
}

/** Braces and sets of letters may be any name, and so may many stars, which take long to compare. */
function mayBe(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined || /[{[]|(?:\*.*){4}/.test(pattern)) return true;
  const plain = pattern
    .replaceAll(/[.+^$()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${plain}$`, "s").test(name);
}

function withReal(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => [path, realOf(path)]);
}

/** What of a client's own folder decides whether and how its hooks run, by the variable that moves the folder. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  CODEX_HOME: ["config.toml", "hooks.json", "hooks", "rules"],
  CLAUDE_CONFIG_DIR: ["settings.json", "settings.local.json", ".claude.json", "hooks", "plugins"],
  COPILOT_HOME: ["hooks", "config.json", "settings.json", "mcp-config.json", "plugins"],
  OPENCODE_CONFIG: [""],
  OPENCODE_CONFIG_DIR: ["opencode.json", "opencode.jsonc", "plugin", "plugins"],
  XDG_CONFIG_HOME: ["opencode"],
};

/** Settings of clients in other places than the usual ones. */
interface MovedSettings {
  readonly paths: readonly string[];
  /** The variables that moved them, as a command names them. */
  readonly variables: readonly RegExp[];
}

/** The settings of clients that a variable has moved. By names and not by folders, which may contain much more. */
function movedSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): MovedSettings {
  const moved = Object.entries(SETTINGS).flatMap(([variable, names]) => {
    const folder = environment[variable] ?? "";
    return isAbsolute(folder) ? [{ variable, paths: names.map((name) => join(folder, name)) }] : [];
  });
  return {
    paths: moved.flatMap(({ paths }) => paths),
    variables: moved.map(({ variable }) => namedIn(variable)),
  };
}

/** The folder of many programs is named for other reasons too. */
function namedIn(variable: string): RegExp {
  return new RegExp(`\\$\\{?${variable}\\b${variable.startsWith("XDG_") ? ".*opencode" : ""}`, "s");
}
