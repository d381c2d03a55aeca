import { createRegistry } from "@toolkeep/core";
import { type McpSource, openMcpSource } from "@toolkeep/mcp/internal";
import { openSandbox } from "@toolkeep/node";
import { acceptedServers, startFolders } from "../project/user-files.ts";
import { type ChosenServers, needsSandbox } from "./choose-servers.ts";
import { connectAs, type LoginUser } from "./login.ts";

export interface SourceParts {
  readonly project: string;
  readonly chosen: ChosenServers;
  /** Logs in to servers that need it. */
  readonly user?: LoginUser;
}

/** Starts the accepted ones of the servers, calls `use`, and stops them. */
export async function withSource<Result>(
  { project, chosen, user }: SourceParts,
  use: (source: McpSource) => Promise<Result>,
): Promise<Result> {
  const { servers, settings, maps } = chosen;
  const source = openMcpSource({
    registry: createRegistry(),
    accepted: acceptedServers(),
    owner: project,
    folder: startFolders(),
    settings,
    maps,
    connect: connectAs(user),
    ...(needsSandbox(chosen) ? { sandbox: await openSandbox() } : {}),
  });
  try {
    await Promise.all(servers.map((entry) => source.add(entry)));
    return await use(source);
  } finally {
    await source.close();
  }
}
