import { defineTool, type RequirementSet } from "@toolkeep/core";
import { createSessionWithPorts as createSession, memoryJournal } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { fakeIo } from "@toolkeep/core/testing";

export interface GrantedRun<Value> {
  readonly value: Value;
  /** What was asked for outside of the grant, as it was recorded. */
  readonly refused: readonly string[];
}

/** Runs something within a call of a real session, whose tool requires this and resolves all of it. */
export async function withGrant<Value>(
  requires: RequirementSet,
  use: (grant: Grant) => Promise<Value>,
): Promise<GrantedRun<Value>> {
  const outcome = Promise.withResolvers<Value>();
  const journal = memoryJournal();
  let grant: Grant | undefined;
  const tool = defineTool({
    name: "reach",
    description: "Reaches for something.",
    inputSchema: { type: "object" },
    requires,
    async execute(_args, ctx) {
      void ctx.io;
      if (grant === undefined) throw new Error("no I/O was granted");
      await use(grant).then(outcome.resolve, outcome.reject);
      return "done";
    },
  });
  const session = await createSession({
    tools: [tool],
    policy: [{ permission: "*", pattern: "**", action: "allow" }],
    journal,
    grantIo(given) {
      grant = given;
      return fakeIo().grantIo(given);
    },
  });
  const result = await session.call({ id: "call", name: "reach", arguments: {} });
  if (!result.ok) outcome.reject(new Error(`the call did not run: ${result.failure?.message}`));
  const value = await outcome.promise;
  const refused: string[] = [];
  for await (const event of journal.read())
    if (event.type === "access-refuse") refused.push(`${event.capability} ${event.target}`);
  return { value, refused };
}
