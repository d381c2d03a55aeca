/** A server with everything that the official scenarios for servers ask for, over stdio, in both protocol generations. */
import { setTimeout } from "node:timers/promises";
import {
  type CallToolResult,
  completable,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

type Answer = CallToolResult | InputRequiredResult;
type Run = (args: Record<string, unknown>, ctx: ServerContext) => Answer | Promise<Answer>;

const text = (words: string) => ({ type: "text" as const, text: words });
const resource = (uri: string, words: string, mimeType = "text/plain") => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: () => ({ content: [text("This is a simple text response for testing.")] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [resource("test://embedded-resource", "This is an embedded resource content.")],
  }),
  test_multiple_content_types: () => ({
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
  }),
  test_error_handling: () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
  async test_tool_with_logging(_args, ctx) {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await ctx.mcpReq.log("info", words);
      await setTimeout(50);
    }
    return { content: [text("Logged.")] };
  },
  async test_tool_with_progress(_args, ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await setTimeout(50);
    }
    return { content: [text("Made progress.")] };
  },
  test_sampling: (_args, ctx) =>
    ctx.mcpReq.inputResponses !== undefined
      ? { content: [text(`LLM response: ${JSON.stringify(ctx.mcpReq.inputResponses)}`)] }
      : inputRequired({
          inputRequests: {
            sample: inputRequired.createMessage({
              messages: [{ role: "user", content: text("Say hello.") }],
              maxTokens: 100,
            }),
          },
        }),
  test_elicitation: (args, ctx) =>
    elicited(ctx, String(args["message"]), {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    }),
  test_elicitation_sep1034_defaults: (_args, ctx) =>
    elicited(ctx, "Please review", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  test_elicitation_sep1330_enums: (_args, ctx) =>
    elicited(ctx, "Please choose", {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: {
        type: "string",
        oneOf: [
          { const: "value1", title: "First Option" },
          { const: "value2", title: "Second Option" },
        ],
      },
      legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: {
        type: "array",
        items: {
          anyOf: [
            { const: "value1", title: "First Choice" },
            { const: "value2", title: "Second Choice" },
          ],
        },
      },
    }),
};

type Fields = Parameters<typeof inputRequired.elicit>[0]["requestedSchema"] extends infer Schema
  ? Schema extends { properties: infer Properties }
    ? Properties
    : never
  : never;

function elicited(ctx: ServerContext, message: string, properties: Fields): Answer {
  const { inputResponses } = ctx.mcpReq;
  if (inputResponses !== undefined)
    return { content: [text(`Elicitation completed: ${JSON.stringify(inputResponses)}`)] };
  const requestedSchema = { type: "object" as const, properties };
  return inputRequired({
    inputRequests: { form: inputRequired.elicit({ mode: "form", message, requestedSchema }) },
  });
}

const SCHEMA_TOOL = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};

function newServer(): McpServer {
  const server = new McpServer(
    { name: "conformance-everything", version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  for (const [name, run] of Object.entries(TOOLS)) {
    const inputSchema = z.object({ message: z.string().optional() });
    server.registerTool(name, { description: `Serves the scenario of ${name}.`, inputSchema }, run);
  }
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema: fromJsonSchema(SCHEMA_TOOL) },
    () => ({ content: [text("Fits.")] }),
  );
  addResources(server);
  addPrompts(server);
  return server;
}

function addResources(server: McpServer): void {
  for (const name of ["static-text", "watched-resource"])
    server.registerResource(name, `test://${name}`, { mimeType: "text/plain" }, ({ href }) => ({
      contents: [
        { uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." },
      ],
    }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PIXEL }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        { uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: "user" as const, content });
  server.registerPrompt("test_simple_prompt", { description: "A simple prompt." }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  const argsSchema = z.object({ arg1: completable(z.string(), () => ["paris", "park"]), arg2: z.string() });
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A prompt with arguments.", argsSchema },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt with a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, "Embedded resource content for testing.")),
        user(text("Process it.")),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with a picture." }, () => ({
    messages: [user(image), user(text("Analyze the picture."))],
  }));
}

serveStdio(newServer);
