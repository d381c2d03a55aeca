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

const GROUPS: Readonly<
  Record<string, Readonly<Record<string, readonly [description: string, example?: string]>>>
> = {
  [SETUP]: {
    init: ["guard every client that is found here, or the one that you name"],
    uninstall: ["restore a client's configuration", "toolkeep uninstall claude-code"],
    status: [
      "show whether this project is guarded, what waits and what was decided today",
      "toolkeep status",
    ],
    doctor: ["check that every hook, the policy and the sandbox work"],
    scan: ["show what Toolkeep would have stopped and asked, from the histories of your clients"],
    trust: ["review the tools, configuration and policy of a project, and trust them"],
  },
  [DECIDE]: {
    approvals: [
      "answer the pending approvals and questions, one key each; without a terminal, list them",
      "toolkeep approvals --always",
    ],
    allow: [
      "add a rule that allows to your policy, after showing what it covers",
      "toolkeep allow 'npm test *'",
    ],
    ask: ["add a rule that asks to your policy", "toolkeep ask 'docker compose up *'"],
    deny: ["add a rule that denies to your policy", "toolkeep deny 'fs.read private/**'"],
    policy: ["check, test, explain and compare policy files; suggest rules"],
    pause: ["ask nothing for some time; without a time, show whether it is paused", "toolkeep pause 30m"],
  },
  [RECORD]: {
    log: ["show the latest calls, who or what decided, and the outcome"],
    sessions: ["list recorded sessions; show, replay, verify, export or remove them"],
  },
  [MORE]: {
    audit: [
      "collect the records of all users of this machine, as root",
      "toolkeep audit collect --sign /etc/toolkeep/audit-key",
    ],
    servers: [
      "list the MCP servers, their state, and the tools that await review",
      "toolkeep servers accept github",
    ],
    tools: ["list the tools of a session here: origin, effects, decision, and what is off"],
    call: ["run one call of a standard tool, under your policy"],
    catalog: ["list the programs whose commands Toolkeep knows; show or check an entry"],
    config: ["show every setting, where it comes from and what it overrides"],
    completion: ["write a script that completes commands and options in a shell"],
  },
  [CLIENTS]: {
    gateway: ["serve MCP servers behind one governed endpoint", "toolkeep gateway --http 8080"],
    hook: [
      "answer a client's hook, from standard input to standard output",
      "toolkeep hook claude-code < payload.json",
    ],
    exec: [
      "run a command of a client in the sandbox, with the ticket that a hook issued for it",
      "toolkeep exec --ticket TICKET 'npm test'",
    ],
  },
};

/** In the order of the help. */
export const OVERVIEW: readonly CommandOverview[] = Object.entries(GROUPS).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, [description, example]]) => ({
    ...{ name, group, description },
    ...(example === undefined ? {} : { example }),
  })),
);

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
