import { isDeepStrictEqual } from "node:util";
import type { OwnCommand } from "../clients/hook-line.ts";
import { type InstallClient, MOVED_FILE } from "../clients/install-client.ts";
import { isOurEntry } from "../clients/installed/own-command.ts";
import type { ProjectFiles } from "../clients/installed/project-file.ts";
import { parseClientFile, valueAt } from "../clients/json-edit.ts";
import { CommandError } from "../terminal/command-error.ts";
import { canBeRead } from "./moved-servers.ts";

/** Names that stay the same in tool names. Another name would be changed, and could become that of another server. */
const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9_])?$/;

/** The servers behind the gateway. @throws CommandError for a name that could be mistaken for another. */
export async function serversBehind(
  files: Pick<ProjectFiles, "read">,
): Promise<ReadonlyMap<string, unknown>> {
  const text = (await files.read(MOVED_FILE))?.bytes.toString("utf8") ?? "";
  parseClientFile(text, MOVED_FILE);
  const behind = new Map(entriesOf(valueAt(text, ["mcpServers"])));
  const unclear = [...behind.keys()].find((name) => !NAME.test(name));
  if (unclear === undefined) return behind;
  throw new CommandError(
    `${MOVED_FILE} has a server ${JSON.stringify(unclear)}, whose name could be mistaken for another.`,
    {
      hint: "Rename it, with letters, digits, `_` and `-` only. Nothing was changed.",
    },
  );
}

export interface FoundServers {
  /** In the client's file. */
  readonly named: unknown;
  /** Behind the gateway already. */
  readonly behind: ReadonlyMap<string, unknown>;
  /** The user's own servers for this project, if the wrappers are written there. */
  readonly local?: unknown;
  readonly client: InstallClient;
  readonly own: OwnCommand;
}

/** The servers that move behind the gateway, and notes about those that do not. */
export function chosenServers({ named, behind, local, client, own }: FoundServers) {
  const moved = new Map<string, unknown>();
  const notes: string[] = [];
  const locals = new Map(entriesOf(local));
  for (const [name, entry] of entriesOf(named)) {
    const isOther = behind.has(name) && !isDeepStrictEqual(behind.get(name), entry);
    const why =
      (locals.has(name) ? whyNotLocal({ name, entry: locals.get(name), client, own }) : undefined) ??
      whyNot({ name, entry, client, own }) ??
      (isOther ? `${MOVED_FILE} has another server of that name` : undefined);
    if (why === undefined) moved.set(name, entry);
    else if (why !== "") notes.push(`The server ${JSON.stringify(name)} does not move: ${why}.`);
  }
  return { moved, notes };
}

export function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

interface NamedEntry {
  readonly name: string;
  readonly entry: unknown;
  readonly client: InstallClient;
  readonly own: OwnCommand;
}

/** Why the client does not use the shared server of this name. */
function whyNotLocal({ name, entry, client, own }: NamedEntry): string {
  if (isOurEntry(entry, { client, name, owns: [own] })) return "";
  return `you have another server of that name for this project in ${client.localServers?.file}`;
}

/** Keys that change how a server is started, and that the gateway does not read. */
const ONLY_THE_CLIENT = ["envFile", "headersHelper"];

/** Why a server cannot move behind the gateway; empty if it is there already. */
function whyNot({ name, entry, client, own }: NamedEntry): string | undefined {
  if (typeof entry !== "object" || entry === null) return "it is not written as `{ … }`";
  const { command, args, type, disabled, enabled } = entry as Readonly<Record<string, unknown>>;
  if (isOurEntry(entry, { client, name, owns: [own] })) return "";
  if (startsSomeGateway(command, args))
    return "it starts a gateway with other arguments than `install` writes; replace it with your server";
  if (disabled === true || enabled === false) return "it is switched off";
  const only = ONLY_THE_CLIENT.find((key) => Object.hasOwn(entry, key));
  if (only !== undefined) return `only the client reads its \`${only}\``;
  if (!NAME.test(name)) return "its name has other characters than letters, digits, `_` and `-`";
  if (name === "toolkeep") return "its name is that of the gateway";
  if (type === "sse") return "HTTP+SSE is deprecated and not supported; use its streamable HTTP URL";
  if (!canBeRead(name, entry)) return "its command is too long to show before it is accepted";
  if (JSON.stringify(entry).includes(`\${input:`)) return "only the client can ask for its `input` values";
  return undefined;
}

/** A gateway behind the gateway would start itself recursively. */
function startsSomeGateway(command: unknown, args: unknown): boolean {
  const argv = [command, ...(Array.isArray(args) ? args : [])].map(String);
  return (
    argv.includes("gateway") && argv.some((arg) => /toolkeep|[/\\]cli[/\\](?:dist|src)[/\\]main/.test(arg))
  );
}
