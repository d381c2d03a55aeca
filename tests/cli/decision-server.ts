/** A server whose tools have every kind of effect and do nothing. Run as a program. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const TOOLS = {
  run: "command",
  write: "path",
  read: "path",
  fetch: "url",
  note: "text",
  peek: "text",
  drop: "text",
};

const server = new McpServer({ name: "kit", version: "1.0.0" });
for (const [name, argument] of Object.entries(TOOLS)) {
  const inputSchema = z.object({ [argument]: z.string() });
  server.registerTool(name, { description: `Does nothing with a ${argument}.`, inputSchema }, () => ({
    content: [{ type: "text", text: "done" }],
  }));
}
await server.connect(new StdioServerTransport());
