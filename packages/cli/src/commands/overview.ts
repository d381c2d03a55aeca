/** What `toolkeep --help` says of a command. It is here so that the help needs no command to be loaded. */
export interface CommandOverview {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  /** An example for the help of the command, if it has no examples of its own. */
  readonly example?: string;
}

const SETUP = "Install:";
const ANSWERS = "Answer and allow:";
const RECORD = "See what happened:";
const PARTS = "Tools and servers:";
const CLIENTS = "Started by clients:";

/** In the order of the help. */
export const OVERVIEW: readonly CommandOverview[] = [
  {
    name: "scan",
    group: SETUP,
    description: "show what Toolkeep would have stopped and asked, from the histories of your clients",
  },
  { name: "init", group: SETUP, description: "find every client here, and install for all of them at once" },
  {
    name: "install",
    group: SETUP,
    description: "add the gateway and the hooks to a client's configuration",
    example: "toolkeep install claude-code --dry-run",
  },
  {
    name: "uninstall",
    group: SETUP,
    description: "restore a client's configuration",
    example: "toolkeep uninstall claude-code",
  },
  { name: "doctor", group: SETUP, description: "check that every hook, the policy and the sandbox work" },
  {
    name: "trust",
    group: SETUP,
    description: "review the tools, configuration and policy of a project, and trust them",
  },
  {
    name: "approvals",
    group: ANSWERS,
    description:
      "answer the pending approvals and questions of all sessions, one key each; without a terminal, list them",
    example: "toolkeep approvals --always",
  },
  {
    name: "approve",
    group: ANSWERS,
    description: "approve a pending call",
    example: "toolkeep approve 3f2a91c0 --always",
  },
  {
    name: "reject",
    group: ANSWERS,
    description: "reject a pending call or question",
    example: "toolkeep reject 3f2a91c0 Use the staging database.",
  },
  {
    name: "answer",
    group: ANSWERS,
    description: "answer the questions of a tool",
    example: "toolkeep answer 3f2a91c0 main 'two reviewers'",
  },
  {
    name: "allow",
    group: ANSWERS,
    description: "add a rule that allows to your policy, after showing what it covers",
    example: "toolkeep allow 'npm test *'",
  },
  {
    name: "ask",
    group: ANSWERS,
    description: "add a rule that asks to your policy",
    example: "toolkeep ask 'docker compose up *'",
  },
  {
    name: "deny",
    group: ANSWERS,
    description: "add a rule that denies to your policy",
    example: "toolkeep deny 'fs.read private/**'",
  },
  {
    name: "policy",
    group: ANSWERS,
    description: "check, test, explain and compare policy files; suggest rules",
  },
  {
    name: "pause",
    group: ANSWERS,
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
  { name: "call", group: PARTS, description: "run one call of a standard tool, under your policy" },
  {
    name: "tools",
    group: PARTS,
    description: "list the tools of a session here: origin, effects, decision, and what is off",
  },
  {
    name: "config",
    group: PARTS,
    description: "show every setting, where it comes from and what it overrides",
  },
  {
    name: "catalog",
    group: PARTS,
    description: "list the programs whose commands Toolkeep knows; show or check an entry",
  },
  {
    name: "servers",
    group: PARTS,
    description: "list the MCP servers, their state, and the tools that await review",
    example: "toolkeep servers accept github",
  },
  {
    name: "completion",
    group: PARTS,
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
Run \`toolkeep COMMAND --help\` to see the options and examples of a command.

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
