import { createRegistry, createSession, defineTool, type Tool } from "@toolkeep/core";
import { removeMarks } from "../gateway/conversation-marks.ts";
import { readProject } from "../project/read-project.ts";
import { sessionIdOf } from "./decide-call.ts";
import type { CallReport, HookClientName } from "./hook-call.ts";
import { type HookStores, ONE_HOOK } from "./hook-stores.ts";

/** The end of the id of a session that has what a client reported about the calls of a conversation. */
const REPORTED = ".outcomes";

export function reportsOf(sessionId: string): string {
  return `${sessionId}${REPORTED}`;
}

export function isOfReports(sessionId: string): boolean {
  return sessionId.endsWith(REPORTED);
}

/** The session that such a session is about. */
export function reportedSession(sessionId: string): string {
  return sessionId.slice(0, -REPORTED.length);
}

/** The tool of these sessions. Its result is the outcome. */
export const REPORT_TOOL = "client_report";

/**
 * Records in the audit log what a client says has become of a call. The reports of a conversation have a session of
 * their own: they are no calls, and do not wait for the decision about the next call.
 */
export async function recordOutcome(
  { conversation, folder, callId, outcome }: CallReport,
  {
    client,
    folder: named = folder,
    stores,
  }: {
    readonly client: HookClientName;
    readonly folder?: string | undefined;
    readonly stores?: HookStores | undefined;
  },
): Promise<void> {
  const sessionId = sessionIdOf(client, conversation);
  await removeMarks(sessionId, callId);
  const { storeFolder } = await readProject({ cwd: folder, folder: named });
  await writeReport({ sessionId, callId, outcome }, storeFolder, stores);
}

/** Writes the outcome of one call of a conversation. */
export async function writeReport(
  { sessionId, callId, outcome }: Pick<CallReport, "callId" | "outcome"> & { readonly sessionId: string },
  storeFolder: string,
  stores: HookStores = ONE_HOOK,
): Promise<void> {
  const registry = createRegistry();
  registry.register(reportTool());
  await stores.use(storeFolder, async (store) => {
    const session = await createSession({
      id: reportsOf(sessionId),
      store,
      registry,
      policy: { builtIn: "off" },
    });
    await session.call({ id: callId, name: REPORT_TOOL, arguments: { outcome } });
    await session.close();
  });
}

function reportTool(): Tool {
  return defineTool({
    name: REPORT_TOOL,
    mode: "read",
    requires: {},
    description: "What a client reports about a call.",
    inputSchema: { type: "object" },
    execute: (args) => String((args as { readonly outcome?: unknown }).outcome),
  }) as Tool;
}
