import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { serveContender } from "../contender.ts";
import { executeFindText, findText } from "../find-text-tool.ts";
import { findTextZod } from "../find-text-zod.ts";

await serveContender(async () => {
  const server = new McpServer({ name: "benchmark", version: "1.0.0" });
  const config = { description: findText.description, inputSchema: findTextZod };
  server.registerTool(findText.name, config, async (args) => ({
    content: [{ type: "text", text: String((await executeFindText(args)).matches) }],
  }));
  const client = new Client({ name: "benchmark", version: "1.0.0" });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  await client.connect(clientSide);
  return { call: (text) => client.callTool({ name: findText.name, arguments: JSON.parse(text) }) };
});
