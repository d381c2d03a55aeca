import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inputRequired, inputResponse, ProtocolError, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** What a server says and does. */
export interface Script {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** By tool: what a call gives. A tool without one gives its arguments. */
  readonly results?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By tool: the error that a call ends with. */
  readonly errors?: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
  readonly resources?: readonly { readonly uri: string; readonly text: string }[];
  readonly prompts?: readonly string[];
}

/** This file is also a program: a server on its standard streams, with its script in a file. */
export const SCRIPTED_SERVER = import.meta.filename;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = process.argv[2] ?? "";
  const server = scriptedServer(() => JSON.parse(readFileSync(file, "utf8")), "legacy");
  await server.connect(new StdioServerTransport());
}

export function scriptedServer(script: () => Script, generation: "legacy" | "modern"): Server {
  const { resources, prompts } = script();
  const server = new Server(
    { name: "scripted", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        ...(resources === undefined ? {} : { resources: {} }),
        ...(prompts === undefined ? {} : { prompts: {} }),
      },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: script().tools as never }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, { mcpReq }) => {
    if (name === "die") {
      writeSync(process.stderr.fd, String(args?.["last"] ?? ""));
      process.exit(1);
    }
    const error = script().errors?.[name];
    if (error !== undefined) throw new ProtocolError(error.code, error.message);
    if (name === "ask" && generation === "legacy") return saying(await server.elicitInput(QUESTION));
    if (name === "ask") {
      const given = inputResponse(mcpReq.inputResponses, "colour");
      if (given.kind === "missing")
        return inputRequired({ inputRequests: { colour: inputRequired.elicit(QUESTION) } });
      return saying(given);
    }
    return (script().results?.[name] ?? saying(args)) as never;
  });
  if (resources !== undefined) serveResources(server, script);
  if (prompts !== undefined) servePrompts(server, script);
  return server;
}

const QUESTION = {
  message: "Which colour?",
  requestedSchema: {
    type: "object" as const,
    properties: { colour: { type: "string" as const } },
    required: ["colour"],
  },
};

function saying(value: unknown) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
}

function serveResources(server: Server, script: () => Script): void {
  const all = () => script().resources ?? [];
  server.setRequestHandler("resources/list", () => ({
    resources: all().map(({ uri }) => ({ uri, name: uri })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: all().filter((one) => one.uri === uri),
  }));
}

function servePrompts(server: Server, script: () => Script): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: (script().prompts ?? []).map((name) => ({ name })),
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args } }) => ({
    messages: [
      { role: "user" as const, content: { type: "text" as const, text: `${name} ${JSON.stringify(args)}` } },
    ],
  }));
}
