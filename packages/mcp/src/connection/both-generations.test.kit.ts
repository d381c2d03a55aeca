import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";

const TEXT = fromJsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});
const NOTHING = fromJsonSchema<Record<string, never>>({ type: "object" });

/** A server that speaks both revisions, as the official library serves them. */
export function bothGenerationsServer(added: () => void = () => {}): McpServer {
  const server = new McpServer({ name: "both", version: "2.0.0" }, { instructions: "Two tongues." });
  server.registerTool("echo", { inputSchema: TEXT }, ({ text }) => ({ content: [{ type: "text", text }] }));
  server.registerTool("choose", { inputSchema: NOTHING }, (_, context) => {
    const responses = context.mcpReq.inputResponses;
    if (responses?.["choice"] !== undefined) {
      const text = JSON.stringify(acceptedContent(responses, "choice") ?? "declined");
      return { content: [{ type: "text", text }] };
    }
    return inputRequired({
      inputRequests: {
        choice: inputRequired.elicit({
          message: "Which colour?",
          requestedSchema: {
            type: "object",
            properties: {
              colour: { type: "string", enum: ["red", "blue"] },
              count: { type: "integer", default: 3 },
            },
            required: ["colour"],
          },
        }),
      },
    });
  });
  server.registerTool("grow", { inputSchema: NOTHING }, () => {
    server.registerTool("grown", { inputSchema: NOTHING }, () => ({ content: [] }));
    added();
    return { content: [{ type: "text", text: "grown" }] };
  });
  server.registerResource("note", "note://one", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  server.registerPrompt("greet", {}, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  }));
  return server;
}
