import { POLICY_KEYWORDS } from "@toolkeep/core/internal";

/** What the value of a key is. */
export type ValueKind =
  | { readonly type: "word"; readonly words: readonly string[] }
  /** A list of some of the words. */
  | { readonly type: "words"; readonly words: readonly string[] }
  | { readonly type: "flag" }
  | { readonly type: "count" }
  | { readonly type: "path" }
  | { readonly type: "text" }
  | { readonly type: "texts" }
  | { readonly type: "paths" }
  /** Servers by their names, each with a text or a list of texts. */
  | { readonly type: "servers" }
  /** People by their names, each with public keys and groups. */
  | { readonly type: "approvers" }
  | { readonly type: "shapes" };

export interface ConfigKey {
  readonly is: ValueKind;
  readonly description: string;
  /** Which values a project may set: any, none, or only the strictest. */
  readonly project: "any" | "never" | { readonly only: string | boolean };
  /** Only the administrator may set it. In another file it is an error, because it would not apply. */
  readonly isManaged?: true;
}

const CLIENTS = ["claude-code", "cursor", "vscode", "gemini-cli", "codex", "copilot", "opencode"] as const;

/** Only the administrator sets these; who people are is among them. */
const MANAGED = { project: "never", isManaged: true } as const;

/** Every key but `tools`, by its path. A trusted project must not widen what its tools may reach: `never`. */
export const CONFIG_KEYS: Readonly<Record<string, ConfigKey>> = {
  mode: {
    is: { type: "word", words: POLICY_KEYWORDS.modes },
    description: "What becomes of a call that a rule asks about.",
    project: { only: "ask" },
  },
  modes: {
    is: { type: "words", words: POLICY_KEYWORDS.modes },
    description: "The modes that users may choose. Default: all.",
    ...MANAGED,
  },
  environment: {
    is: { type: "text" },
    description: "What this machine is, for the condition `environment`: `production`.",
    ...MANAGED,
  },
  servers: {
    is: { type: "servers" },
    description:
      "The only MCP servers that may be used: by name, the command line or the URL that the name stands for.",
    ...MANAGED,
  },
  approvers: {
    is: { type: "approvers" },
    description:
      "Who can sign approvals: by name, the SSH public keys and the groups of a person, for rules with `by group`.",
    ...MANAGED,
  },
  clients: {
    is: { type: "words", words: CLIENTS },
    description: "The only clients that may be used. Default: all.",
    ...MANAGED,
  },
  contain: {
    is: { type: "word", words: ["require", "forbid"] },
    description: "Whether commands that no rule knows must run contained, or may not. Default: users choose.",
    ...MANAGED,
  },
  "identity.issuer": {
    is: { type: "text" },
    description: "The OpenID provider whose tokens are accepted, as it stands in them.",
    ...MANAGED,
  },
  "identity.audience": { is: { type: "text" }, description: "What tokens must be for.", ...MANAGED },
  "identity.jwksUri": {
    is: { type: "text" },
    description:
      "Where the keys of the issuer are: `https://…` or `file:///…`. Default: where the issuer says.",
    ...MANAGED,
  },
  "identity.userClaim": {
    is: { type: "text" },
    description: "The claim with the user. Default: `sub`.",
    ...MANAGED,
  },
  "identity.groupsClaim": {
    is: { type: "text" },
    description: "The claim with the groups. Default: `groups`.",
    ...MANAGED,
  },
  "identity.tenantClaim": {
    is: { type: "text" },
    description: "The claim with the tenant. Default: none.",
    ...MANAGED,
  },
  "identity.scopes": {
    is: { type: "texts" },
    description: "What tokens must permit. Default: nothing more.",
    ...MANAGED,
  },
  "identity.tokenFile": {
    is: { type: "path" },
    description: "Where the token of the program's own user is. Default: the user of the operating system.",
    ...MANAGED,
  },
  policy: {
    is: { type: "path" },
    description: "A policy file. Those of all layers are read.",
    project: "any",
  },
  allowed: {
    is: { type: "texts" },
    description: "The only tools that may be used. A tool must be on the list of every file that has one.",
    project: "any",
  },
  denied: {
    is: { type: "texts" },
    description: "Tools that may not be used.",
    project: "any",
  },
  "sandbox.required": {
    is: { type: "flag" },
    description: "Whether no command may run without a sandbox.",
    project: { only: true },
  },
  "network.privateHosts": {
    is: { type: "texts" },
    description: "Hosts with private addresses that may be reached all the same.",
    project: "never",
  },
  "network.proxy": {
    is: { type: "word", words: ["off", "environment"] },
    description: "Whether the proxies that the environment names are used.",
    project: "never",
  },
  "journal.folder": { is: { type: "path" }, description: "Where journals are kept.", project: "never" },
  "journal.keepDays": {
    is: { type: "count" },
    description: "After how many days without activity a session is removed. Default: never.",
    project: "never",
  },
  "audit.sink": {
    is: { type: "text" },
    description: "Where `toolkeep log ship` sends events: a file, or an https URL.",
    ...MANAGED,
  },
  "audit.format": {
    is: { type: "word", words: ["jsonl", "otlp", "ocsf"] },
    description: "How `toolkeep log ship` writes events. Default: jsonl.",
    ...MANAGED,
  },
  "audit.checkpoint": {
    is: { type: "text" },
    description: "Where `toolkeep sessions checkpoint` writes: a file, an https URL, or a git repository.",
    ...MANAGED,
  },
  "audit.hold": {
    is: { type: "texts" },
    description:
      "Sessions that are never removed or erased: `user:NAME`, `session:ID`, or `*`. `*` stands for any text.",
    ...MANAGED,
  },
  "redaction.shapes": {
    is: { type: "shapes" },
    description: "Shapes of secrets, in addition to those that are known. Those of all files apply.",
    project: "never",
  },
  roots: {
    is: { type: "paths" },
    description: "Folders outside the project that belong to the workspace.",
    project: "never",
  },
  files: { is: { type: "paths" }, description: "Single files outside the workspace.", project: "never" },
};

/** What every tool can be configured with; the rest is the tool's own. */
export const TOOL_KEYS: Readonly<Record<"enabled" | "timeoutMs", ConfigKey>> = {
  enabled: {
    is: { type: "flag" },
    description: "Whether the tool can be used.",
    project: { only: false },
  },
  timeoutMs: {
    is: { type: "count" },
    description: "How long a call may take, in milliseconds.",
    project: "any",
  },
};

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** As in the settings of servers. */
export const SERVER_NAME = /^[A-Za-z0-9_-]{1,64}$/;
