/** What `toolkeep --help` says of a command. It is here so that the help needs no command to be loaded. */
export interface CommandOverview {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  /** An example for the help of the command, if it has no examples of its own. */
  readonly example?: string;
}

const SETUP = "Set up:";
const DECIDE = "Decide:";
const RECORD = "See what happened:";
const MORE = "More:";
const CLIENTS = "Started by clients:";

/** Groups that only `toolkeep help --all` shows. */
export const MORE_GROUPS: readonly string[] = [MORE, CLIENTS];

/** In the order of the help. */
export const OVERVIEW: readonly CommandOverview[] = [
  {
    name: "init",
    group: SETUP,
    description: "guard every client that is found here, or the one that you name",
  },
  {
    name: "uninstall",
    group: SETUP,
    description: "restore a client's configuration",
    example: "toolkeep uninstall claude-code",
  },
  {
    name: "doctor",
    group: SETUP,
    description: "check that every hook, the policy and the sandbox work",
  },
  {
    name: "scan",
    group: SETUP,
    description: "show what Toolkeep would have stopped and asked, from the histories of your clients",
  },
  {
    name: "trust",
    group: SETUP,
    description: "review the tools, configuration and policy of a project, and trust them",
  },
  {
    name: "approvals",
    group: DECIDE,
    description: "answer the pending approvals and questions, one key each; without a terminal, list them",
    example: "toolkeep approvals --always",
  },
  {
    name: "allow",
    group: DECIDE,
    description: "add a rule that allows to your policy, after showing what it covers",
    example: "toolkeep allow 'npm test *'",
  },
  {
    name: "ask",
    group: DECIDE,
    description: "add a rule that asks to your policy",
    example: "toolkeep ask 'docker compose up *'",
  },
  {
    name: "deny",
    group: DECIDE,
    description: "add a rule that denies to your policy",
    example: "toolkeep deny 'fs.read private/**'",
  },
  {
    name: "policy",
    group: DECIDE,
    description: "check, test, explain and compare policy files; suggest rules",
  },
  {
    name: "pause",
    group: DECIDE,
    description: "ask nothing for some time; without a time, show whether it is paused",
    example: "toolkeep pause 30m",
  },
  {
    name: "log",
    group: RECORD,
    description: "show the latest calls, who or what decided, and the outcome",
  },
  {
    name: "sessions",
    group: RECORD,
    description: "list recorded sessions; show, replay, verify, export or remove them",
  },
  {
    name: "servers",
    group: MORE,
    description: "list the MCP servers, their state, and the tools that await review",
    example: "toolkeep servers accept github",
  },
  {
    name: "tools",
    group: MORE,
    description: "list the tools of a session here: origin, effects, decision, and what is off",
  },
  {
    name: "call",
    group: MORE,
    description: "run one call of a standard tool, under your policy",
  },
  {
    name: "catalog",
    group: MORE,
    description: "list the programs whose commands Toolkeep knows; show or check an entry",
  },
  {
    name: "config",
    group: MORE,
    description: "show every setting, where it comes from and what it overrides",
  },
  {
    name: "completion",
    group: MORE,
    description: "write a script that completes commands and options in a shell",
  },
  {
    name: "gateway",
    group: CLIENTS,
    description: "serve MCP servers behind one governed endpoint",
    example: "toolkeep gateway --http 8080",
  },
  {
    name: "hook",
    group: CLIENTS,
    description: "answer a client's hook, from standard input to standard output",
    example: "toolkeep hook claude-code < payload.json",
  },
  {
    name: "exec",
    group: CLIENTS,
    description: "run a command of a client in the sandbox, with the ticket that a hook issued for it",
    example: "toolkeep exec --ticket TICKET 'npm test'",
  },
];

export const DESCRIPTION = "Permissions, approvals and an audit log for the tool calls of AI agents.";

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
export const OPTIONS: readonly (readonly [flags: string, description: string])[] = [
  ["--json", "write data and errors as JSON"],
  ["-q, --quiet", "write only data and errors"],
  ["--cwd <dir>", "run as if started in this directory"],
  ["-V, --version", "show the version"],
  ["-h, --help", "show help"],
];
