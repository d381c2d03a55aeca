import { closestName } from "@toolkeep/core/internal";
import { hiddenValue } from "../../terminal/hidden-value.ts";
import { shownValue } from "../../terminal/shown-value.ts";

/** A variable of the environment that is set, and what it does. */
export interface KnownVariable {
  readonly name: string;
  readonly value: unknown;
  readonly meaning: string;
}

const MEANINGS: Readonly<Record<string, string>> = {
  TOOLKEEP_HOME: "all folders of Toolkeep are in it",
  TOOLKEEP_CONFIG: "replaces your configuration file",
  TOOLKEEP_DECIDER: "`off`: every hook decides by itself",
  TOOLKEEP_AUDIT_TOKEN: "sent as a bearer token by `log ship` and `sessions checkpoint`",
  TOOLKEEP_REQUIRE_MANAGED: "only an administrator's policy may decide: without one, every call is denied",
  TOOLKEEP_COMMAND: "set by Toolkeep: this runs in a command of a session",
  TOOLKEEP_SERVER: "set by Toolkeep: this runs in an MCP server",
  XDG_CONFIG_HOME: "your configuration is in its folder toolkeep",
  XDG_STATE_HOME: "trust and the audit log are in its folder toolkeep",
  XDG_DATA_HOME: "data is in its folder toolkeep",
  XDG_CACHE_HOME: "what may be deleted is in its folder toolkeep",
  CLAUDE_CONFIG_DIR: "moves the settings of Claude Code, which are protected there",
  CODEX_HOME: "moves the settings of Codex, which are protected there",
  COPILOT_HOME: "moves the settings of Copilot CLI, which are protected there",
  OPENCODE_CONFIG: "moves the settings of opencode, which are protected there",
  OPENCODE_CONFIG_DIR: "moves the settings of opencode, which are protected there",
  HTTP_PROXY: "a proxy, used if `network.proxy` is `environment`",
  HTTPS_PROXY: "a proxy, used if `network.proxy` is `environment`",
  NO_COLOR: "output has no colors",
  CI: "output has no colors and no progress",
};

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
