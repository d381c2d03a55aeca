import { createRegistry } from "@toolkeep/core";
import { type McpSource, openMcpSource } from "@toolkeep/mcp";
import { openSandbox } from "@toolkeep/node";
import { acceptedServers, startFolders } from "../project/accepted-servers.ts";
import type { ChosenServers } from "./choose-servers.ts";
import { connectAs, type LoginPerson } from "./connect-as.ts";

export interface SourceParts {
  readonly project: string;
  readonly chosen: ChosenServers;
  /** Who logs in where a server wants that. */
  readonly person?: LoginPerson;
}

/** Starts those of the servers that were accepted, for as long as something is done with them. */
export async function withSource<Result>(
  { project, chosen, person }: SourceParts,
  use: (source: McpSource) => Promise<Result>,
): Promise<Result> {
  const { servers, settings, maps } = chosen;
  const needsSandbox = servers.some(({ name }) => settings[name]?.sandbox !== undefined);
  const source = openMcpSource({
    registry: createRegistry(),
    accepted: acceptedServers(),
    owner: project,
    folder: startFolders(),
    settings,
    maps,
    connect: connectAs(person),
    ...(needsSandbox ? { sandbox: await openSandbox() } : {}),
  });
  try {
    await Promise.all(servers.map((entry) => source.add(entry)));
    return await use(source);
  } finally {
    await source.close();
  }
}
