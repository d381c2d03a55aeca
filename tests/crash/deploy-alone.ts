import { createSession } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { parsePolicy, policyDefinition } from "@toolkeep/policy";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/**
 * Calls a tool that runs alone among all processes, because it wants to or its policy file does, and stays in it until
 * it is told to go on.
 */
const { folder, sessionId, file } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly sessionId: string;
  readonly file?: string;
};

const store = openSqliteStore({ path: folder });
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
    ...(file === undefined ? { locks: ["deploy.run"] } : {}),
  },
);
const policy =
  file === undefined ? ["allow *"] : policyDefinition(parsePolicy(file, { file: "policy.yaml" }));
const session = await createSession({ id: sessionId, store, tools: [tool], policy });
console.log("asks");
const { ok } = await session.call({ id: "1", name: "deploy", arguments: {} });
console.log(ok ? "out" : "failed");
await session.close();
await store.close();
process.exit(0);
