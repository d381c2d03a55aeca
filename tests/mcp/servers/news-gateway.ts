/** A gateway over stdio in a process of its own, in front of a server that tells of changes. */
import { createSession } from "@toolkeep/core";
import { openGateway } from "../../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryAcceptedServers } from "../../../packages/mcp/src/servers/memory-accepted-servers.ts";
import { ALLOW_ALL, newsServer } from "../gateway-bench.ts";

const gateway = await openGateway({
  servers: [newsServer("news", "legacy")],
  accepted: memoryAcceptedServers(),
  open: (parts) => createSession({ policy: ALLOW_ALL, ...parts }),
});
await gateway.serveStdio().closed;
await gateway.close();
