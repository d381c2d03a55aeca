/** A gateway over stdio in a process of its own, in front of a server that tells of changes. */
import { createSession } from "@toolkeep/core";
import { openGateway } from "../../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryKnownServers } from "../../../packages/mcp/src/servers/memory-known-servers.ts";
import { ALLOW_ALL, newsServer } from "../gateway-bench.ts";

const gateway = await openGateway({
  servers: [newsServer("news", "legacy")],
  known: memoryKnownServers(),
  open: (parts) => createSession({ rules: ALLOW_ALL, ...parts }),
});
await gateway.serveStdio().closed;
await gateway.close();
