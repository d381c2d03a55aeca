import { isAbsolute, join } from "node:path";

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
export interface MovedSettings {
  readonly paths: readonly string[];
  /** The variables that moved them, as a command names them. */
  readonly variables: readonly RegExp[];
}

/** The settings of clients that a variable has moved. By names and not by folders, which may contain much more. */
export function movedSettings(
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
