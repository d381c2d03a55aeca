import { homedir } from "node:os";
import { delimiter } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { type ConnectOptions, connect, type openMcpSource, type ServerEntry } from "@toolkeep/mcp/internal";
import { openSandbox } from "@toolkeep/node";
import { isRootOwned } from "@toolkeep/node/internal";
import { acceptedServers, logins, startFolders } from "../../project/user-files.ts";
import { type ChosenServers, needsSandbox } from "./choose-servers.ts";
import type { LoginUser } from "./login.ts";
import { type ListedServers, listedServers } from "./managed-servers.ts";

interface StartParts {
  readonly project: string;
  readonly chosen: ChosenServers;
  /** Logs in to servers that need it. Without one, a server that needs a new login is refused. */
  readonly user?: LoginUser | undefined;
  /** Whether the user whose call needs a login can be asked: someone at this machine. */
  readonly inCalls?: boolean;
}

interface ServerStart extends Omit<ListedServers<ServerEntry>, "isListed"> {
  readonly options: Omit<Parameters<typeof openMcpSource>[0], "registry">;
}

/**
 * How this program starts servers. It is the only place that connects to one, so the administrator's list binds every
 * command: a server that is not on it is in no source, and `connect` refuses it besides.
 * @throws CommandError as `listedServers` does.
 */
export async function serverStart({
  project,
  chosen,
  user,
  inCalls = false,
}: StartParts): Promise<ServerStart> {
  const { servers, refused, isListed } = await listedServers(project, chosen.servers);
  const names = new Set(servers.map(({ name }) => name));
  const store = logins();
  return {
    ...{ servers, refused },
    options: {
      ...{ settings: chosen.settings, maps: chosen.maps, accepted: acceptedServers() },
      ...{ owner: project, folder: startFolders() },
      ...(isListed ? { environment: withTrustedPath(process.env) } : {}),
      ...(needsSandbox(chosen) ? { sandbox: await openSandbox() } : {}),
      connect(entry: ServerEntry, options: ConnectOptions) {
        if (!names.has(entry.name))
          throw new ToolFailure("denied", `Your administrator does not list the server ${entry.name}.`);
        const command = `toolkeep servers login ${entry.name}`;
        return connect(entry, { ...options, oauth: { store, command, inCalls, ...user } });
      },
    },
  };
}

/** Listed programs without a folder are looked for where only root can put one. The managed launcher omits `HOME`. */
function withTrustedPath(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folders = (environment["PATH"] ?? "").split(delimiter);
  return { HOME: homedir(), ...environment, PATH: folders.filter(isRootOwned).join(delimiter) };
}
