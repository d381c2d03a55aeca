import { createRegistry, createSession, defineTool, type Tool } from "@toolkeep/core";
import { revokeMarks } from "@toolkeep/core/internal";
import { osUser } from "@toolkeep/node/internal";
import { type CallReport, delegationTo, type HookClientName } from "../../clients/hook-call.ts";
import { plainId } from "../../clients/payload.ts";
import { readProject } from "../../project/read-project.ts";
import { REPORT_TOOL, reportsOf } from "../../project/store/reported-sessions.ts";
import { addDroppedAnswer, droppedText } from "../decide/confine/dropped-answers.ts";
import { isUntaken } from "../decide/confine/ticket.ts";
import { type HookStores, ONE_HOOK } from "../decide/conversation/hook-stores.ts";
import { openConversation } from "../decide/conversation/open-conversation.ts";
import { sessionIdOf } from "../decide/decide-call.ts";
import { removeMarks } from "../decide/gateway/conversation-marks.ts";

interface ReportingHook {
  readonly client: HookClientName;
  readonly folder?: string | undefined;
  readonly stores?: HookStores | undefined;
}

/**
 * Records in the audit log what a client says has become of a call. The reports of a conversation have a session of
 * their own: they are no calls, and do not wait for the decision about the next call. Returns what the model has to
 * know: the client dropped the answer that had confined the call.
 */
export async function recordOutcome(
  { conversation, folder, callId: given, outcome, isReplaced = false, isInterrupted = false }: CallReport,
  { client, folder: named = folder, stores }: ReportingHook,
): Promise<string | undefined> {
  const [sessionId, callId] = [sessionIdOf(client, conversation), plainId(given)];
  const isDropped =
    outcome !== "refused" &&
    !isInterrupted &&
    (await isUntaken({ sessionId, callId }, TAKEN_MS[outcome] ?? LATE_MS));
  if (isDropped) await addDroppedAnswer({ client, sessionId, callId, at: Date.now() }).catch(() => undefined);
  const alarm = isDropped ? droppedText(client) : undefined;
  // What ran in our sandbox has said itself what became of it.
  if (isReplaced && !isDropped) return undefined;
  await recorded(
    { conversation, folder: named, callId, outcome: isDropped ? "unconfined" : outcome },
    { client, stores },
  ).catch(() => undefined);
  return alarm;
}

/** How long a ticket may still be taken after the client has reported its call. */
const LATE_MS = 1_000;
const TAKEN_MS: Readonly<Record<string, number>> = { started: 10_000 };

async function recorded(
  { conversation, folder, callId, outcome }: CallReport,
  { client, stores = ONE_HOOK }: ReportingHook,
): Promise<void> {
  const sessionId = sessionIdOf(client, conversation);
  await removeMarks(sessionId, callId);
  const project = await readProject({ cwd: folder, folder });
  const { storeFolder, config } = project;
  await writeReport({ sessionId, callId, outcome }, storeFolder, stores);
  if (outcome === "refused")
    await stores.use(storeFolder, async (store) => {
      const opened = { sessionId, registry: createRegistry(), project, by: delegationTo(client) };
      await using session = await openConversation(store, opened);
      revokeMarks(session, callId);
    });
  // The client does not wait for the answer to a report.
  if (config.journal.keepDays === undefined) return;
  const { sweepDaily } = await import("../../project/store/sweep-store.ts");
  await stores.use(storeFolder, (store) => sweepDaily(store, config));
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
      principal: osUser(),
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
