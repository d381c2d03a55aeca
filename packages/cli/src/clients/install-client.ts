import { createHash } from "node:crypto";
import { joinCommand } from "@toolkeep/core/internal";
import { usageError } from "../terminal/command-error.ts";
import { decidingLine, hookLine, type OwnCommand } from "./hook-line.ts";
import type { WantedEdit } from "./json-edit.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

export const INSTALL_CLIENTS = ["claude-code", "cursor", "vscode", "codex", "copilot", "opencode"] as const;

export type InstallClientName = (typeof INSTALL_CLIENTS)[number];

/** The files of a client's servers and hooks, and their format. */
export interface InstallClient {
  readonly name: InstallClientName;
  /** Missing where the servers stay as they are, and only the hooks are installed. */
  readonly servers?: { readonly file: string; readonly key: string };
  /** Where the user's own servers for one project are, which replace those of the same name in a shared file. */
  readonly localServers?: { readonly file: string; keyOf(project: string): readonly string[] };
  /** What the user has to do afterwards. */
  readonly next?: string;
  /** Whether its hooks can replace a command, so that it runs in our sandbox. */
  readonly canConfine?: boolean;
  /** The entry of a server that starts the gateway with these arguments. */
  entry(own: OwnCommand, args: readonly string[]): Readonly<Record<string, unknown>>;
  readonly hooks?: {
    readonly file: string;
    /** Where earlier versions wrote the hooks. */
    readonly formerFile?: string;
    /** A new file that keeps the file of the hooks out of version control. */
    readonly ignoreFile?: string;
    /** What is added to the file. */
    edits?(own: OwnCommand): readonly WantedEdit[];
    /** The whole text of a file that is only ours. */
    text?(own: OwnCommand, project: string): string;
  };
}

/** In the user's home directory. */
const CLAUDE_USER_FILE = "~/.claude.json";

/** The file that the servers of clients are moved to. */
export const MOVED_FILE = ".toolkeep/mcp.json";

/** Keeps the moved servers out of version control if the client's own file was ignored. */
export const IGNORE_FILE = ".toolkeep/.gitignore";

/** The only files that an installation for a client writes. */
export function filesOf({ servers, localServers, hooks }: InstallClient): readonly string[] {
  const own = [servers?.file, localServers?.file, hooks?.file, hooks?.ignoreFile, hooks?.formerFile];
  return [MOVED_FILE, IGNORE_FILE, ...own.filter((file) => file !== undefined)];
}

/** In the name of a file of the user: the project that it is for. */
const PROJECT = "{project}";

/** A client with the names of its files for this project. */
export function clientFor(name: InstallClientName, project: string): InstallClient {
  const { hooks, ...client } = CLIENTS[name];
  if (hooks === undefined) return client;
  const id = createHash("sha256").update(project).digest("hex").slice(0, 16);
  return { ...client, hooks: { ...hooks, file: hooks.file.replace(PROJECT, id) } };
}

/** Clients that start servers in an unspecified directory replace this with the project directory. */
export const WORKSPACE_FOLDER = `\${workspaceFolder}`;

/** The timeout of the client. Our own is shorter. */
const HOOK_SECONDS = 30;

export const CLIENTS: Readonly<Record<InstallClientName, InstallClient>> = {
  "claude-code": {
    name: "claude-code",
    next: "Restart Claude Code if it is running.",
    servers: { file: ".mcp.json", key: "mcpServers" },
    localServers: { file: CLAUDE_USER_FILE, keyOf: (project) => ["projects", project, "mcpServers"] },
    canConfine: true,
    entry: startsGateway,
    hooks: {
      file: ".claude/settings.local.json",
      formerFile: ".claude/settings.json",
      ignoreFile: ".claude/.gitignore",
      edits: claudeHooks,
    },
  },
  cursor: {
    name: "cursor",
    next: "Restart Cursor if it is running.",
    servers: { file: ".cursor/mcp.json", key: "mcpServers" },
    entry: (own, args) => startsGateway(own, [...IN_FOLDER, ...args]),
    hooks: { file: ".cursor/hooks.json", edits: cursorHooks },
  },
  vscode: {
    name: "vscode",
    servers: { file: ".vscode/mcp.json", key: "servers" },
    entry: (own, args) => ({ type: "stdio", ...startsGateway(own, [...IN_FOLDER, ...args]) }),
  },
  codex: {
    name: "codex",
    next: "Codex runs a hook only after you have trusted it: start or restart `codex` in this project, type `/hooks`, and trust the three hooks of .codex/hooks.json. Until then it skips them, and again if their text changes.",
    canConfine: true,
    entry: startsGateway,
    hooks: { file: ".codex/hooks.json", ignoreFile: ".codex/.gitignore", edits: codexHooks },
  },
  copilot: {
    name: "copilot",
    next: "Restart Copilot CLI if it is running.",
    canConfine: true,
    entry: startsGateway,
    // Not in the project: there it would run only after the user trusts the folder in the client.
    hooks: { file: `~/.copilot/hooks/toolkeep-${PROJECT}.json`, text: copilotHooks },
  },
  opencode: {
    name: "opencode",
    next: "Restart opencode if it is running.",
    canConfine: true,
    entry: startsGateway,
    hooks: { file: `~/.config/opencode/plugins/toolkeep-${PROJECT}.js`, text: opencodePlugin },
  },
};

const IN_FOLDER = ["--project", WORKSPACE_FOLDER] as const;

function startsGateway([command, ...first]: OwnCommand, args: readonly string[]) {
  return { command, args: [...first, "gateway", ...args] };
}

/** If the program is missing, the shell exits with another code than 2, and only 2 blocks in every version. */
function claudeHooks(own: OwnCommand): readonly WantedEdit[] {
  const reporting = hookLine(own, ["hook", "claude-code"]);
  const command = decidingLine(own, "claude-code");
  const hook = { type: "command", command, timeout: HOOK_SECONDS };
  const deciding = { ...hook, onFailure: "block" };
  const events = [
    { event: "PreToolUse", value: { matcher: "*", hooks: [deciding] } },
    { event: "PermissionRequest", value: { matcher: "*", hooks: [deciding] } },
    // They report the outcome of a call, and stop nothing.
    ...["PostToolUse", "PostToolUseFailure"].map((event) => ({
      event,
      value: { matcher: CHANGING_TOOLS, hooks: [{ ...hook, command: reporting }] },
    })),
    { event: "PermissionDenied", value: { matcher: "*", hooks: [{ ...hook, command: reporting }] } },
  ];
  return events.map(({ event, value }) => ({ kind: "append", path: ["hooks", event], value }));
}

/** What other tools of the client do is not recorded: a report takes time. */
const CHANGING_TOOLS = "Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch|mcp__.*";

const CURSOR_EVENTS = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"] as const;

function cursorHooks(own: OwnCommand): readonly WantedEdit[] {
  const command = decidingLine(own, "cursor");
  const value = { command, timeout: HOOK_SECONDS, failClosed: true };
  return [
    { kind: "set", path: ["version"], value: 1 },
    ...CURSOR_EVENTS.map((event) => ({ kind: "append" as const, path: ["hooks", event], value })),
  ];
}

/** A block has a reason, also if the program does not start or is killed. */
const NOT_STARTED =
  "sh -c 'echo Toolkeep gave no answer, so this is blocked. If another user installed it here, clone the project into a folder of your own. >&2; exit 2'";

function codexHooks(own: OwnCommand): readonly WantedEdit[] {
  const reporting = hookLine(own, ["hook", "codex"]);
  const group = (command: string) => ({
    matcher: "*",
    hooks: [{ type: "command", command, timeout: HOOK_SECONDS }],
  });
  const deciding = group(`${reporting} || ${NOT_STARTED}`);
  const events = { PreToolUse: deciding, PermissionRequest: deciding, PostToolUse: group(reporting) };
  return Object.entries(events).map(([event, value]) => ({ kind: "append", path: ["hooks", event], value }));
}

/** The client runs the hooks of the user in every folder: this one is for the project. */
function copilotHooks(own: OwnCommand, project: string): string {
  const hook = hookLine(own, ["hook", "copilot", "--project", project]);
  const bash = [
    "here=$(pwd -P) || exit 2",
    `case "$here/" in ${joinCommand([project])}/*) exec ${hook} ;; esac`,
  ].join("; ");
  const preToolUse = [{ type: "command", bash, timeoutSec: HOOK_SECONDS }];
  return `${JSON.stringify({ version: 1, hooks: { preToolUse } }, undefined, 2)}\n`;
}

/** @throws CommandError for an unknown client, and without one. */
export function clientCalled(name: string | undefined): InstallClientName {
  const found = INSTALL_CLIENTS.find((client) => client === name);
  if (found !== undefined) return found;
  const what =
    name === undefined ? "The name of a client is missing." : `Unknown client ${JSON.stringify(name)}.`;
  throw usageError(what, `Use one of ${INSTALL_CLIENTS.join(", ")}.`);
}
