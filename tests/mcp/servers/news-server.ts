/**
 * A server that has more to say than its answers, over stdio: it logs, tells of resources that changed, proposes
 * values, and wants forms filled in. `NEWS_GENERATION=legacy` knows the older protocol generation alone.
 */
import {
  completable,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const isOlder = process.env["NEWS_GENERATION"] === "legacy";
const text = (words: string) => ({ type: "text" as const, text: words });
const watched = new Set<string>();

const FORM = {
  mode: "form" as const,
  message: "Please review",
  requestedSchema: {
    type: "object" as const,
    properties: {
      name: { type: "string" as const, title: "Your name", default: "John Doe" },
      age: { type: "integer" as const, default: 30, minimum: 1 },
      verified: { type: "boolean" as const, default: true },
      size: {
        type: "string" as const,
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
        default: "s",
      },
      days: {
        type: "array" as const,
        items: { type: "string" as const, enum: ["mon", "tue", "wed"] },
        default: ["mon"],
      },
    },
    required: ["name"],
  },
};

function newServer(): McpServer {
  const server = new McpServer(
    { name: "news", version: "1.0.0" },
    {
      capabilities: {
        logging: {},
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
      },
    },
  );
  if (isOlder) {
    server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      watched.add(uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      watched.delete(uri);
      return {};
    });
  }
  addTools(server);
  addOffers(server);
  return server;
}

function addTools(server: McpServer): void {
  const said = z.object({
    level: z.enum(["debug", "info", "error"]),
    words: z.string(),
    times: z.number().optional(),
  });
  server.registerTool(
    "say",
    { description: "Logs.", inputSchema: said },
    async ({ level, words, times = 1 }, ctx) => {
      for (let at = 0; at < times; at += 1) await ctx.mcpReq.log(level, words, "kit");
      return { content: [text("said")] };
    },
  );
  server.registerTool(
    "touch",
    { description: "Changes a resource.", inputSchema: z.object({ uri: z.string() }) },
    async ({ uri }) => {
      if (!isOlder || watched.has(uri)) await server.server.sendResourceUpdated({ uri });
      return { content: [text("touched")] };
    },
  );
  server.registerTool(
    "watching",
    { description: "Says what is watched.", inputSchema: z.object({}) },
    () => ({
      content: [text(JSON.stringify([...watched]))],
    }),
  );
  server.registerTool(
    "form",
    { description: "Wants a form filled in.", inputSchema: z.object({}) },
    async (_args: unknown, ctx: ServerContext) => {
      if (isOlder) return { content: [text(JSON.stringify(await ctx.mcpReq.elicitInput(FORM)))] };
      const { inputResponses } = ctx.mcpReq;
      if (inputResponses === undefined)
        return inputRequired({ inputRequests: { form: inputRequired.elicit(FORM) } });
      return { content: [text(JSON.stringify(inputResponses["form"]))] };
    },
  );
}

function addOffers(server: McpServer): void {
  for (const name of ["a", "b"])
    server.registerResource(name, `news://${name}`, { mimeType: "text/plain" }, ({ href }) => ({
      contents: [{ uri: href, mimeType: "text/plain", text: `about ${name}` }],
    }));
  server.registerResource("archive", "news://archive", { mimeType: "application/zip" }, ({ href }) => ({
    contents: [
      { uri: href, mimeType: "application/zip", blob: "UEsDBAoAAAAAAA==" },
      { uri: `${href}#2`, mimeType: "application/octet-stream", blob: "AAECAwQF" },
    ],
  }));
  server.registerResource("vast", "news://vast", { mimeType: "application/zip" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "application/zip", blob: Buffer.alloc(2_000_000).toString("base64") }],
  }));
  const complete = { id: (typed: string) => ["one", "two"].filter((id) => id.startsWith(typed)) };
  const template = new ResourceTemplate("news://item/{id}", { list: undefined, complete });
  server.registerResource("item", template, {}, ({ href }) => ({ contents: [{ uri: href, text: href }] }));
  const city = completable(z.string(), () => ["paris", "pa\u200bris", "x".repeat(1_000)]);
  server.registerPrompt("travel", { description: "Travels.", argsSchema: z.object({ city }) }, (args) => ({
    messages: [{ role: "user", content: text(`Go to ${args.city}.`) }],
  }));
}

if (isOlder) await newServer().connect(new StdioServerTransport());
else serveStdio(newServer);
