import { Server } from "@modelcontextprotocol/server";

/** A server with many tools that return their arguments at once. */
export function echoServer(count: number): Server {
  const tools = toolsOf(count);
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: JSON.stringify(params.arguments ?? {}) }],
  }));
  return server;
}

const known = new Map<number, ReturnType<typeof described>[]>();

function toolsOf(count: number) {
  const tools = known.get(count) ?? Array.from({ length: count }, (_, index) => described(index));
  known.set(count, tools);
  return tools;
}

function described(index: number) {
  return {
    name: `echo_${index}`,
    description: `Gives back what it is told, and adds nothing to it. It is number ${index} of its kind.`,
    inputSchema: {
      type: "object" as const,
      properties: {
        text: { type: "string", description: "What to give back." },
        times: { type: "integer", minimum: 1, maximum: 10 },
      },
      required: ["text"],
    },
  };
}
