import { joinCommand } from "@toolkeep/core/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { WantedEdit } from "./json-edit.ts";

export const INSTALL_CLIENTS = ["claude-code", "cursor", "vscode"] as const;

export type InstallClientName = (typeof INSTALL_CLIENTS)[number];

/** How this program is started by a client: the program and the words before its command. */
export type OwnCommand = readonly [string, ...string[]];

/** Where a client keeps its servers and its hooks, and how it writes them. */
export interface InstallClient {
  readonly name: InstallClientName;
  readonly servers: { readonly file: string; readonly key: string };
  /** The entry of a server that starts the gateway with these words. */
  entry(own: OwnCommand, words: readonly string[]): Readonly<Record<string, unknown>>;
  readonly hooks?: { readonly file: string; edits(own: OwnCommand): readonly WantedEdit[] };
}

/** Where the servers go that clients had. */
export const MOVED_FILE = ".toolkeep/mcp.json";

/** Keeps the servers out of version control where the client's own file was kept out of it. */
export const IGNORE_FILE = ".toolkeep/.gitignore";

/** The only files of a project that an installation for a client writes. */
export function filesOf({ servers, hooks }: InstallClient): readonly string[] {
  return [MOVED_FILE, IGNORE_FILE, servers.file, ...(hooks === undefined ? [] : [hooks.file])];
}

/** Some clients do not say in which folder they start a server, and put it in here themselves. */
export const WORKSPACE_FOLDER = `\${workspaceFolder}`;

/** The client gives up after so long; our own watchdog is faster. */
const HOOK_SECONDS = 30;

export const CLIENTS: Readonly<Record<InstallClientName, InstallClient>> = {
  "claude-code": {
    name: "claude-code",
    servers: { file: ".mcp.json", key: "mcpServers" },
    entry: ([command, ...first], words) => ({ command, args: [...first, "gateway", ...words] }),
    hooks: { file: ".claude/settings.json", edits: claudeHooks },
  },
  cursor: {
    name: "cursor",
    servers: { file: ".cursor/mcp.json", key: "mcpServers" },
    entry: ([command, ...first], words) => ({ command, args: [...first, "gateway", ...IN_FOLDER, ...words] }),
    hooks: { file: ".cursor/hooks.json", edits: cursorHooks },
  },
  vscode: {
    name: "vscode",
    servers: { file: ".vscode/mcp.json", key: "servers" },
    entry: ([command, ...first], words) => ({
      type: "stdio",
      command,
      args: [...first, "gateway", ...IN_FOLDER, ...words],
    }),
  },
};

const IN_FOLDER = ["--project", WORKSPACE_FOLDER] as const;

/** A program that is not there any more ends otherwise than with 2, which alone blocks in every version. */
function claudeHooks(own: OwnCommand): readonly WantedEdit[] {
  const command = `${joinCommand([...own, "hook", "claude-code"])} || exit 2`;
  const hook = { type: "command", command, timeout: HOOK_SECONDS, onFailure: "block" };
  return [{ kind: "append", path: ["hooks", "PreToolUse"], value: { matcher: "*", hooks: [hook] } }];
}

const CURSOR_EVENTS = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"] as const;

function cursorHooks(own: OwnCommand): readonly WantedEdit[] {
  const value = { command: joinCommand([...own, "hook", "cursor"]), timeout: HOOK_SECONDS, failClosed: true };
  return [
    { kind: "set", path: ["version"], value: 1 },
    ...CURSOR_EVENTS.map((event) => ({ kind: "append" as const, path: ["hooks", event], value })),
  ];
}

/** @throws CommandFault for a client that nobody knows. */
export function clientCalled(name: string): InstallClientName {
  const found = INSTALL_CLIENTS.find((client) => client === name);
  if (found !== undefined) return found;
  throw new CommandError(`There is nothing to install for ${JSON.stringify(name)}.`, {
    exit: EXIT.usage,
    hint: `Known are ${INSTALL_CLIENTS.join(", ")}.`,
  });
}
