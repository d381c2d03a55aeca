import { joinCommand, splitCommand } from "@toolkeep/core/internal";
import type { ServerEntry } from "@toolkeep/mcp/internal";
import type { Config } from "@toolkeep/node/internal";
import { decidesWhatRuns } from "./code-loading-names.ts";

/** What of a server decides whether an administrator accepts it. */
type StartedServer = Pick<ServerEntry, "name"> & {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
};

type ManagedServers = Config["servers"];

/**
 * Why a server may not be used where the administrator lists the servers that may; `undefined` if it may. The name alone
 * is not enough: the command line or the URL must be the one that the administrator gave to the name.
 */
export function serverRefusal(servers: ManagedServers, started: StartedServer): string | undefined {
  if (servers === undefined) return undefined;
  const { name, command, args = [], env = {}, cwd, url } = started;
  const accepted = Object.hasOwn(servers, name) ? (servers[name] ?? []) : [];
  if (accepted.length === 0) return `your administrator accepts no server with the name ${name}.`;
  if (cwd !== undefined) return "it is started in a folder of its own, which decides what the server runs.";
  const loading = Object.keys(env).filter(decidesWhatRuns);
  if (loading.length > 0) return `it sets ${loading.join(", ")}, which decides what the server runs.`;
  const isAccepted =
    command === undefined
      ? url !== undefined && accepted.includes(url)
      : accepted.some((line) => !URL.canParse(line) && covers(splitCommand(line), [command, ...args]));
  if (isAccepted) return undefined;
  const what = command === undefined ? (url ?? "nothing that is known") : joinCommand([command, ...args]);
  return `it is ${what}, and your administrator accepts ${accepted.join(" or ")} under this name.`;
}

/** Word by word. A `*` at the end stands for any further arguments. */
function covers(accepted: readonly string[], words: readonly string[]): boolean {
  const isOpen = accepted.length > 1 && accepted.at(-1) === "*";
  const needed = isOpen ? accepted.slice(0, -1) : accepted;
  if (isOpen ? words.length < needed.length : words.length !== needed.length) return false;
  return needed.every((word, index) => word === words[index]);
}

/** The servers that may be used, and for each other one why not. */
export function acceptedByManager(
  entries: readonly ServerEntry[],
  servers: ManagedServers,
): { readonly servers: readonly ServerEntry[]; readonly refused: readonly string[] } {
  const evaluated = entries.map((entry) => ({ entry, refusal: serverRefusal(servers, entry) }));
  return {
    servers: evaluated.filter(({ refusal }) => refusal === undefined).map(({ entry }) => entry),
    refused: evaluated.flatMap(({ entry, refusal }) =>
      refusal === undefined ? [] : [`The server ${entry.name} is not started: ${refusal}`],
    ),
  };
}
