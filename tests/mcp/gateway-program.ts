/** A gateway over stdio in a process of its own: the store's folder, how long clients wait, the server's log. */
import { openGateway } from "../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryAcceptedServers } from "../../packages/mcp/src/servers/memory-accepted-servers.ts";
import { shopServer } from "./gateway-bench.ts";
import { keptGateway } from "./kept-gateway.ts";

const [folder = "", waitMs = "50000", log = ""] = process.argv.slice(2);
const { open, takeAnswers, release } = keptGateway(folder);
const gateway = await openGateway({
  servers: [shopServer("shop", { SHOP_LOG: log })],
  accepted: memoryAcceptedServers(),
  open,
  ...(takeAnswers === undefined ? {} : { takeAnswers }),
  waitMs: Number(waitMs),
});
await gateway.serveStdio().closed;
await gateway.close();
release();
