/** A number: the way of `ways.ts` that tries it. Otherwise: why it cannot loosen what an administrator mandates. */
export type Reason = string;

const SHOWS = "it shows something and decides nothing";
const RECORDS = "it is about records of calls that were decided";
const LISTED =
  "a server that the administrator does not list is neither accepted nor started (machine-servers.ts)";
const OWN_POLICY = "3 the user's policy is more specific";
const PROJECT = "13 --project is everything";
const ONCE = "an answer to one request; a final ask is not remembered, and asks again (24b)";

/** The command with its options, without the common ones. */
export const COMMANDS: Readonly<Record<string, Reason>> = {
  "scan --policy --since": SHOWS,
  "init --confine --observe --rules --no-trust --yes --dry-run --project": "2 the user's mode is observe",
  "install --list --single --npx --no-trust --shared --confine --managed --yes --dry-run --project":
    "9b real trust",
  "uninstall --managed --yes --dry-run --project":
    "hooks that are removed are noticed, and what runs without hooks is no call here",
  "doctor --project": SHOWS,
  "trust --project --yes": "9b real trust",
  "trust list": SHOWS,
  "trust revoke --project": "it takes away",
  "approve --sign --key --request --signed --always --rule --project --yes": ONCE,
  "reject --sign --key --request --signed --yes": ONCE,
  "answer --yes": ONCE,
  "approvals --watch --ended --always --project": ONCE,
  "approvals show": SHOWS,
  "approvals list --ended --always --project": SHOWS,
  "approvals revoke --all --project": "it takes away",
  "allow --project --yes": OWN_POLICY,
  "ask --project --yes": OWN_POLICY,
  "deny --project --yes": OWN_POLICY,
  policy: SHOWS,
  "policy check --strict": SHOWS,
  "policy test --format --merged": SHOWS,
  "policy import --write": OWN_POLICY,
  "policy explain --tool --sandboxed --as --group --at --project --policy": SHOWS,
  "policy diff --sessions --store --exit-code": SHOWS,
  "policy suggest --project --store": SHOWS,
  "call --dry-run --project --policy": "4 --policy names a file of the repository",
  "pause --end --all --project --yes": "there is no pause on a machine with an administrator (25)",
  "log --follow --since --tool --decision --last --store --verify": SHOWS,
  "log ship --to --format": RECORDS,
  sessions: SHOWS,
  "sessions list --since --last --store": SHOWS,
  "sessions show --store": SHOWS,
  "sessions export --bundle --sign --store": SHOWS,
  "sessions checkpoint --to --sign --store": RECORDS,
  "sessions erase --call --yes --store": RECORDS,
  "sessions sweep --store": RECORDS,
  "sessions replay --project --policy --store --exit-code": SHOWS,
  "sessions verify --checkpoint --bundle --key --store": SHOWS,
  "tools --project --connect": LISTED,
  "tools why --project --connect": LISTED,
  catalog: SHOWS,
  "catalog show": SHOWS,
  "catalog check": SHOWS,
  config: SHOWS,
  "config show --project": SHOWS,
  "servers --project": LISTED,
  "servers list --project": LISTED,
  "servers accept --project --yes": LISTED,
  "servers forget --project": "it takes away",
  "servers login --project --yes": "it gets a token for a server, and decides nothing",
  "servers logout --project": "it takes away",
  completion: SHOWS,
  "gateway --server --wrap --http --address --url --policy --allow --project --no-search":
    "4 --policy names a file of the repository",
  "hook --project --policy": "4b --policy names a file without rules",
  "exec --ticket": "a ticket is issued for what is allowed, and answers no final ask",
};

export const CONFIGURATION: Readonly<Record<string, Reason>> = {
  mode: "1 the user's mode is yolo",
  modes: "21 the user sets what only the administrator may",
  environment: "only the administrator may set it",
  servers: "only the administrator may set it",
  clients: "only the administrator may set it",
  ...Object.fromEntries(
    ["issuer", "audience", "jwksUri", "userClaim", "groupsClaim", "tenantClaim", "scopes", "tokenFile"].map(
      (key) => [`identity.${key}`, "only the administrator may set it"],
    ),
  ),
  policy: OWN_POLICY,
  allowed: "15 the user allows all tools",
  denied: "15 the user allows all tools",
  "sandbox.required": "15c the user's network and sandbox are open",
  "network.privateHosts": "15c the user's network and sandbox are open",
  "network.proxy": "15c the user's network and sandbox are open",
  "journal.folder": "15d the user's journal is elsewhere",
  "journal.keepDays": RECORDS,
  approvers: "only the administrator may set it",
  "identity.issuer": "only the administrator may set it",
  "identity.audience": "only the administrator may set it",
  "identity.jwksUri": "only the administrator may set it",
  "identity.userClaim": "only the administrator may set it",
  "identity.groupsClaim": "only the administrator may set it",
  "identity.tenantClaim": "only the administrator may set it",
  "identity.scopes": "only the administrator may set it",
  "identity.tokenFile": "only the administrator may set it",
  "audit.checkpoint": "only the administrator may set it",
  "audit.format": "only the administrator may set it",
  "audit.hold": "only the administrator may set it",
  "audit.sink": "only the administrator may set it",
  "redaction.shapes": "the shapes of all files add up: more is hidden and taken for a secret",
  roots: "14 the user's roots and files are everything",
  files: "14 the user's roots and files are everything",
};

export const POLICY_FILE: Readonly<Record<string, Reason>> = {
  version: "it says how to read the file",
  mode: "3c the user's policy sets the mode yolo",
  extends: "11 the user's policy extends a file of the repository",
  "allow-list": "3e the user's policy has an allow-list",
  rules: OWN_POLICY,
  watchdogs: "12 the user turns watchdogs off",
  locks: "the locks of all files add up: a call waits for others, and none is allowed by it",
  tests: SHOWS,
};

const CLIENTS =
  "it moves settings of a client, which are protected in both places, and whose entries answer no rule";

export const VARIABLES: Readonly<Record<string, Reason>> = {
  TOOLKEEP_HOME: "6 TOOLKEEP_HOME",
  TOOLKEEP_CONFIG: "5 TOOLKEEP_CONFIG",
  TOOLKEEP_DECIDER: "without a decider, every hook decides by itself",
  TOOLKEEP_AUDIT_TOKEN: RECORDS,
  TOOLKEEP_REQUIRE_MANAGED: "it denies every call where no administrator decides, and allows none",
  XDG_CONFIG_HOME: "7 XDG_CONFIG_HOME",
  XDG_DATA_HOME: "it says where histories of a client are, which are shown",
  HOME: "18 HOME",
  CLAUDE_PROJECT_DIR: PROJECT,
  GEMINI_PROJECT_DIR: PROJECT,
  CURSOR_PROJECT_DIR: PROJECT,
  COPILOT_PROJECT_DIR: PROJECT,
  CLAUDE_CONFIG_DIR: CLIENTS,
  CODEX_HOME: CLIENTS,
  OPENCODE_PERMISSION: "it is what the client asks by itself; a rule that asks is never left to a client",
  OPENCODE_CONFIG_CONTENT: "it is what the client asks by itself; a rule that asks is never left to a client",
  CLAUDE_CODE_SESSION_ATTENDED: "it can say that no user answers, and then more is refused",
  COREPACK_HOME: "it says where a program is that a sandbox shows",
  RIPGREP_CONFIG_PATH: "what a search reads follows from it, and more is asked",
  HTTP_PROXY: "where requests go that were decided",
  HTTPS_PROXY: "where requests go that were decided",
  NO_PROXY: "where requests go that were decided",
  PATH: "which program a command finds; rules are about names and paths",
  TERM: "it is about the terminal",
  NO_COLOR: "it is about the terminal",
  FORCE_COLOR: "it is about the terminal",
  CI: "it is about the terminal",
  NODE_TLS_REJECT_UNAUTHORIZED: "no key of an issuer is read where certificates are not checked",
  NODE_ENV: "whether warnings for developers are shown",
};
