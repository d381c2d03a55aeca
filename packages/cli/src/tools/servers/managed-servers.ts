import { joinCommand, splitCommand } from "@toolkeep/core/internal";
import type { ServerEntry } from "@toolkeep/mcp/internal";
import { type Config, readConfig } from "@toolkeep/node/internal";
import { assertManaged } from "../../project/managed-settings.ts";
import { invalidConfig } from "../../project/read-project.ts";

/** What of a server decides whether an administrator accepts it. */
type StartedServer = Pick<ServerEntry, "name"> & {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
};

/**
 * Why a server may not be used where the administrator lists the servers that may; `undefined` if it may. The name alone
 * is not enough: the command line with its variables, or the URL, must be the one that the administrator gave to the name.
 */
export function serverRefusal(servers: Config["servers"], started: StartedServer): string | undefined {
  if (servers === undefined) return undefined;
  const { name, command, args = [], env = {}, cwd, url } = started;
  const accepted = Object.hasOwn(servers, name) ? (servers[name] ?? []) : [];
  if (accepted.length === 0) return `your administrator accepts no server with the name ${name}.`;
  if (cwd !== undefined) return "it is started in a folder of its own, which decides what the server runs.";
  if (command === undefined && url !== undefined && accepted.includes(url)) return undefined;
  const lines = accepted.filter((line) => !URL.canParse(line)).map(listedLine);
  const same = command === undefined ? [] : lines.filter(({ argv }) => covers(argv, [command, ...args]));
  if (same.some(({ variables }) => unlisted(env, variables) === undefined)) return undefined;
  const [first] = same;
  if (first !== undefined) return unlisted(env, first.variables);
  const what = command === undefined ? (url ?? "nothing that is known") : joinCommand([command, ...args]);
  return `it is ${what}, and your administrator accepts ${accepted.join(" or ")} under this name.`;
}

interface ListedLine {
  /** By name, the value; `*` for any value, or none. */
  readonly variables: ReadonlyMap<string, string>;
  readonly argv: readonly string[];
}

const VARIABLE = /^[A-Za-z_]\w*=/;

/** `NAME=value … program argument …`, as in a shell. */
function listedLine(line: string): ListedLine {
  const words = splitCommand(line);
  const start = words.findIndex((word) => !VARIABLE.test(word));
  const set = words.slice(0, start).map((word): [string, string] => {
    const [name = "", ...value] = word.split("=");
    return [name, value.join("=")];
  });
  return { variables: new Map(set), argv: start < 0 ? [] : words.slice(start) };
}

function unlisted(env: StartedServer["env"] = {}, variables: ListedLine["variables"]): string | undefined {
  const other = Object.keys(env).filter(
    (name) => variables.get(name) !== "*" && variables.get(name) !== env[name],
  );
  if (other.length > 0)
    return `it sets ${other.join(", ")} to a value that your administrator does not list.`;
  const missing = [...variables].find(([name, value]) => value !== "*" && !Object.hasOwn(env, name));
  return missing && `it does not set ${missing[0]}, which your administrator requires.`;
}

/** Word by word. A `*` at the end stands for any further arguments. */
function covers(accepted: readonly string[], argv: readonly string[]): boolean {
  const isOpen = accepted.length > 1 && accepted.at(-1) === "*";
  const needed = isOpen ? accepted.slice(0, -1) : accepted;
  if (needed.length === 0 || (isOpen ? argv.length < needed.length : argv.length !== needed.length))
    return false;
  return needed.every((word, index) => word === argv[index]);
}

export interface ListedServers<Entry> {
  readonly servers: readonly Entry[];
  /** By name, why a server is not started. */
  readonly refused: ReadonlyMap<string, string>;
  /** Whether the administrator lists servers at all. */
  readonly isListed: boolean;
}

/**
 * The ones of these servers that the administrator lets a user start. Everything that starts or accepts one asks here.
 * @throws CommandError for an invalid configuration: what it forbids is not known.
 */
export async function listedServers<Entry extends StartedServer>(
  project: string,
  entries: readonly Entry[],
): Promise<ListedServers<Entry>> {
  const reading = await readConfig({ cwd: project });
  if (reading.config === undefined) throw invalidConfig("no server is started", reading);
  assertManaged(reading);
  const { servers } = reading.config;
  const refused = new Map<string, string>();
  for (const entry of entries) {
    const reason = serverRefusal(servers, entry);
    if (reason !== undefined) refused.set(entry.name, `The server ${entry.name} is not started: ${reason}`);
  }
  return {
    servers: entries.filter(({ name }) => !refused.has(name)),
    refused,
    isListed: servers !== undefined,
  };
}

/** A server as the administrator lists it, for where neither the project nor the user configures it. */
export async function managedEntry(project: string, name: string): Promise<ServerEntry | undefined> {
  const servers = (await readConfig({ cwd: project })).config?.servers ?? {};
  const [line] = Object.hasOwn(servers, name) ? (servers[name] ?? []) : [];
  if (line === undefined) return undefined;
  const base = { name, isOfProject: false } as const;
  if (URL.canParse(line)) return { ...base, kind: "http", url: line, headers: {} };
  const { variables, argv } = listedLine(line);
  const [command, ...args] = argv.at(-1) === "*" ? argv.slice(0, -1) : argv;
  const env = Object.fromEntries([...variables].filter(([, value]) => value !== "*"));
  return command === undefined ? undefined : { ...base, kind: "stdio", command, args, env };
}
