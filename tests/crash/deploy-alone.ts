import { createSession } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { openStore } from "../../packages/sqlite/src/store/open-store.ts";

/** Calls a tool that wants to be alone among all processes, and stays in it until it is told to go on. */
const { folder, sessionId } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly sessionId: string;
};

const store = openStore({ path: folder });
const { tool } = stubTool(
  "deploy",
  async () => {
    console.log("in");
    await new Promise((resolve) => process.stdin.once("data", resolve));
    return "deployed";
  },
  {
    idempotent: false,
    requires: { capabilities: ["deploy.run"] },
    effects: () => [effect("deploy.run", "production")],
    locks: ["deploy.run"],
  },
);
const session = await createSession({ id: sessionId, store, tools: [tool], policy: ["allow *"] });
console.log("asks");
const { ok } = await session.call({ id: "1", name: "deploy", arguments: {} });
console.log(ok ? "out" : "failed");
await session.close();
await store.close();
process.exit(0);
