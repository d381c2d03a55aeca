import { join } from "node:path";
import {
  type AgentContext,
  agent,
  PROTOCOL_VERSION,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  createRegistry,
  defineTool,
  type ToolCall,
} from "@toolkeep/core";
import { acpUpdates } from "@toolkeep/core/formats";
import { fsWrite } from "@toolkeep/core/internal";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";

/** A tool of an MCP server that declares no kind. */
const put = defineTool({
  name: "files_put",
  description: "Puts a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { write: ["{workspace}/**"] } },
  mode: "external",
  remote: { serverId: "files", tool: "put" },
  effects: ({ path }) => [fsWrite(path)],
  execute: () => "put",
});

/** An ACP agent without a model: a prompt is the calls that it makes, as JSON. The editor is asked for permission. */
export async function governedAgent(root: string) {
  const registry = createRegistry();
  for (const tool of standardTools()) registry.register(tool);
  registry.register(put, { origin: { layer: "user", source: "mcp", id: "files" } });
  const workspace = await openWorkspace({
    roots: [root],
    sandbox: noSandbox(),
    sidecars: join(root, ".kept"),
    network: { resolve: async () => ["127.0.0.1"] },
  });
  let editor: AgentContext | undefined;
  async function approve({ callId, toolName }: ApprovalRequest): Promise<ApprovalAnswer> {
    const answer = (await editor?.request("session/request_permission", {
      sessionId: session.id,
      toolCall: { toolCallId: callId, title: toolName },
      options: [
        { optionId: "once", name: "Allow", kind: "allow_once" },
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    })) as RequestPermissionResponse | undefined;
    const isAllowed = answer?.outcome.outcome === "selected" && answer.outcome.optionId === "once";
    return { verdict: isAllowed ? "once" : "reject" };
  }
  const session = await workspace.createSession({ registry, approver: approve });
  const app = agent()
    .onRequest("initialize", () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest("session/new", () => ({ sessionId: session.id }))
    .onRequest("session/prompt", async ({ client, params }) => {
      editor = client;
      const [block] = params.prompt;
      const calls = JSON.parse(block?.type === "text" ? block.text : "[]") as readonly ToolCall[];
      const toUpdate = acpUpdates((name) => registry.get(name));
      const events = session.events();
      const turn = session.run(calls);
      for await (const event of events) {
        const update = toUpdate(event) as SessionNotification["update"] | undefined;
        if (update !== undefined) await client.notify("session/update", { sessionId: session.id, update });
        if (event.type === "turn-end") break;
      }
      await turn;
      return { stopReason: "end_turn" };
    });
  const close = () => session.close().then(() => workspace.close());
  return { app, close };
}
