import { createRedactor, createSession, defineTool, type SessionStore } from "@toolkeep/core";
import { expect } from "vitest";

export const TOKEN = "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3xyz";

const deploy = defineTool({
  name: "deploy",
  description: "Deploys with a token.",
  inputSchema: { type: "object", properties: { to: { type: "string" }, auth: { type: "string" } } },
  requires: {},
  execute: async () => "done",
});

/** Two calls that wait, and with them the store. */
export async function waiting(store: SessionStore): Promise<void> {
  const session = await sessionIn(store);
  for (const [turn, to] of [
    ["t1", "staging"],
    ["t2", "production"],
  ] as const)
    await session.run([{ id: "c1", name: "deploy", arguments: { to, auth: `x ${TOKEN} y` } }], { id: turn });
  await session.leave();
}

export function sessionIn(store: SessionStore, redactor = createRedactor()) {
  const approver = { approve: async () => "later" as const };
  return createSession({ id: "s", store, tools: [deploy], policy: ["ask *"], approver, redactor });
}

export async function answered(store: SessionStore): Promise<void> {
  const session = await sessionIn(store);
  for (const turn of ["t1", "t2"]) {
    await session.answer(`${turn}/c1`, { verdict: "once", by: "ada" });
    expect((await session.resume(turn)).results?.[0]).toMatchObject({ ok: true });
  }
  await session.close();
}
