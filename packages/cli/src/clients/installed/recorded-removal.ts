import { randomUUID } from "node:crypto";
import { createSession, defineTool } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { osUser } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";
import type { RemovedHooks } from "./removed-hooks.ts";

/** The beginning of the id of a session that has what the decider noticed. No client and no gateway has such an id. */
const NOTICED = "removed-hooks.";
const TOOL = "hooks_removed";

export function isOfRemovedHooks(sessionId: string): boolean {
  return sessionId.startsWith(NOTICED);
}

/** Records in the audit log that the hooks of an installation are gone. */
export async function recordRemovedHooks(
  { client, project, file }: RemovedHooks,
  store: SqliteStore,
): Promise<void> {
  const target = visible(`${client} in ${project}: ${file}`);
  const tool = defineTool({
    name: TOOL,
    description: "The hooks of a client were removed or switched off.",
    inputSchema: { type: "object" },
    mode: "read",
    requires: { capabilities: ["toolkeep.hooks"] },
    effects: () => [{ capability: "toolkeep.hooks", target }],
    execute: () => target,
  });
  const id = `${NOTICED}${randomUUID()}`;
  const policy = { mode: "yolo", builtIn: "off" } as const;
  const session = await createSession({ id, store, tools: [tool], principal: osUser(), policy });
  await session.call({ id: "noticed", name: TOOL, arguments: {} });
  await session.close();
}
