import { type HelpItem, itemOf } from "../terminal/help-layout.ts";
import overview from "./overview.json" with { type: "json" };

/** What `toolkeep --help` says of a command. It is here so that the help needs no command to be loaded. */
export interface CommandOverview {
  readonly name: string;
  readonly group: string;
  readonly description: string;
}

/** Groups that only `toolkeep help --all` shows. */
export const MORE_GROUPS: readonly string[] = ["More:", "Started by clients:"];

/** In the order of the help. */
export const OVERVIEW: readonly CommandOverview[] = Object.entries(overview.groups).flatMap(
  ([group, commands]) =>
    Object.entries(commands).map(([name, description]) => ({ name, group, description })),
);

export const DESCRIPTION = overview.description;

/** Follows the list of commands. */
export const AFTER_OVERVIEW = `
Run \`toolkeep COMMAND --help\` to see the options and examples of a command, and \`toolkeep help --all\` to see all
commands: ${OVERVIEW.filter(({ group }) => MORE_GROUPS.includes(group))
  .map(({ name }) => name)
  .join(", ")}.

Exit codes: 0 success, 1 failure, 2 invalid usage (from \`hook\`: the call is blocked), 3 denied, 4 confirmation
required, 130 and 143 ended by SIGINT or SIGTERM, 141 standard output was closed early.`;

/** Follows every help text. */
export const AFTER_ALL = `
Documentation: https://github.com/toolkeep/toolkeep/blob/main/docs/reference/command-line.md`;

/** The options that every command has. */
export const OPTIONS: readonly HelpItem[] = overview.options.map(itemOf);
