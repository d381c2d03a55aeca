import type { Rule } from "@toolkeep/core";
import { type Gateway, openGateway } from "@toolkeep/mcp";
import { openSandbox } from "@toolkeep/node";
import { acceptedServers, startFolders } from "../project/accepted-servers.ts";
import { openProject } from "../project/open-project.ts";
import type { Project } from "../project/read-project.ts";
import { VERSION } from "../version.ts";
import type { ChosenServers } from "./choose-servers.ts";
import { connectAs } from "./connect-as.ts";
import { gatewaySessionId } from "./gateway-session-id.ts";

export interface StartOptions {
  readonly chosen: ChosenServers;
  /** One server under its own tool names. */
  readonly wrapped?: string | undefined;
  readonly grants: readonly Rule[];
  readonly searchAbove?: "never" | undefined;
  readonly onNote: (note: string) => void;
}

export interface StartedGateway {
  readonly gateway: Gateway;
  /** Ends everything that it started. */
  close(): Promise<void>;
}

/** Opens a gateway in a project: its workspace, its store, its policy, its servers. */
export async function startGateway(project: Project, options: StartOptions): Promise<StartedGateway> {
  const { chosen, wrapped, grants, searchAbove, onNote } = options;
  const { workspace, store, close } = await openProject(project);
  const policy = { ...project.policy, rules: [...(project.policy.rules ?? []), ...grants] };
  const sessionId = gatewaySessionId(store, { project: project.root, wrapped });
  const sandbox = needsSandbox(chosen) ? { sandbox: await openSandbox() } : {};
  try {
    const gateway = await openGateway({
      servers: chosen.servers,
      settings: chosen.settings,
      maps: chosen.maps,
      known: acceptedServers(),
      connect: connectAs(),
      owner: project.root,
      folder: startFolders(),
      info: { name: "toolkeep", version: VERSION },
      onNote,
      naming: wrapped === undefined ? "prefixed" : "plain",
      ...sandbox,
      ...(searchAbove === undefined ? {} : { searchAbove }),
      open: ({ registry, approver }) =>
        workspace.createSession({ id: sessionId, registry, approver, policy }),
      takeAnswers: (give) => store.takeAnswers(sessionId, give),
    });
    return {
      gateway,
      async close() {
        await gateway.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function needsSandbox({ servers, settings }: ChosenServers): boolean {
  return servers.some(({ name }) => settings[name]?.sandbox !== undefined);
}
