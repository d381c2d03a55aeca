import { createHash, randomBytes } from "node:crypto";
import type { Rule } from "@toolkeep/core";
import { markSession } from "@toolkeep/core/internal";
import { type Gateway, openGateway } from "@toolkeep/mcp";
import { openSandbox } from "@toolkeep/node";
import type { Store } from "@toolkeep/sqlite";
import { GATEWAY_SESSIONS } from "../approvals/pending-requests.ts";
import { pausable } from "../pause/paused-calls.ts";
import { openProject } from "../project/open-project.ts";
import type { Project } from "../project/read-project.ts";
import { acceptedServers, startFolders } from "../project/user-files.ts";
import { VERSION } from "../version.ts";
import { type ChosenServers, needsSandbox } from "./choose-servers.ts";
import { marksFor } from "./conversation-marks.ts";
import { connectAs } from "./login.ts";

export interface StartOptions {
  readonly chosen: ChosenServers;
  /** The one server that is served under its own tool names. */
  readonly wrapped?: string | undefined;
  readonly grants: readonly Rule[];
  readonly searchAbove?: "never" | undefined;
  readonly onNote: (note: string) => void;
}

export interface StartedGateway {
  readonly gateway: Gateway;
  /** Stops the gateway and its servers. */
  close(): Promise<void>;
}

/** Opens the gateway of a project with its workspace, store, policy and servers. */
export async function startGateway(project: Project, options: StartOptions): Promise<StartedGateway> {
  const { chosen, wrapped, grants, searchAbove, onNote } = options;
  const { workspace, store, close } = await openProject(project);
  const policy = { ...project.policy, rules: [...(project.policy.rules ?? []), ...grants] };
  const sessionId = gatewaySessionId(store, { project: project.root, wrapped });
  const sandbox = needsSandbox(chosen) ? { sandbox: await openSandbox() } : {};
  try {
    const gateway: Gateway = await openGateway({
      servers: chosen.servers,
      settings: chosen.settings,
      maps: chosen.maps,
      accepted: acceptedServers(),
      connect: connectAs(),
      owner: project.root,
      folder: startFolders(),
      info: { name: "toolkeep", version: VERSION },
      onNote,
      naming: wrapped === undefined ? "prefixed" : "plain",
      ...sandbox,
      ...(searchAbove === undefined ? {} : { searchAbove }),
      open: ({ registry, approver }) =>
        workspace.createSession({
          id: sessionId,
          registry,
          approver: pausable(approver, project),
          policy,
          // No later gateway takes up an older request.
          limits: { approvalDeadlineMs: RESUMED_MS },
        }),
      beforeCall: async () =>
        markSession(gateway.session, await marksFor({ project: project.root, wrapped })),
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

const RESUMED_MS = 24 * 60 * 60 * 1_000;

export interface GatewaySession {
  readonly project: string;
  /** Distinguishes the gateways of one project. */
  readonly wrapped?: string | undefined;
}

/**
 * The id of a parked session of this gateway that is not in use and less than a day old, because an approver may have
 * answered meanwhile; otherwise a new id.
 */
export function gatewaySessionId(
  store: Pick<Store, "sessions">,
  { project, wrapped = "" }: GatewaySession,
): string {
  const hash = createHash("sha256").update(`${project}\n${wrapped}`).digest("hex").slice(0, 16);
  const prefix = `${GATEWAY_SESSIONS}${hash}.`;
  const since = Date.now() - RESUMED_MS;
  const parked = store
    .sessions({ state: "parked" })
    .find(({ sessionId, isInUse, activeAt }) => sessionId.startsWith(prefix) && !isInUse && activeAt > since);
  return parked?.sessionId ?? `${prefix}${randomBytes(8).toString("hex")}`;
}
