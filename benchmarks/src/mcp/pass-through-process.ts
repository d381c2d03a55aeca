import { Server } from "@modelcontextprotocol/server";
import { startEcho } from "./reach.ts";
import { serveOn, type Wire } from "./serve-on.ts";

/** A proxy that only forwards: the SDK's client on one side, the SDK's server on the other. */
const [wire, count] = process.argv.slice(2);
const { client } = await startEcho(wire as Wire, Number(count));

await serveOn(wire as Wire, () => {
  const server = new Server({ name: "pass-through", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => client.listTools(params));
  server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
  return server;
});
