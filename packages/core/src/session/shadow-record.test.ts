import { expect, test } from "vitest";
import { effect } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { createSession } from "./create-session.ts";

test("the record of a call says what rules on trial would have done, without secrets", async () => {
  const journal = memoryJournal();
  const token = `ghp_${"aB3dE6gH9".repeat(4)}`;
  const pay = defineTool({
    ...{ name: "pay", description: "d", inputSchema: { type: "object" }, mode: "safe_write" as const },
    requires: { capabilities: ["pay.send", "pay.void"] },
    effects: (args: Record<string, unknown>) => [effect(String(args["how"]), "acme")],
    execute: () => "paid",
  });
  const policy = { rules: ["allow pay.send"], shadow: [`final deny pay.* because "since ${token}"`] };
  const session = await createSession({ tools: [pay], journal, policy });
  const sent = await session.call("pay", { how: "pay.send" });
  await session.call("pay", { how: "pay.void" });
  await session.close();
  expect(sent).toMatchObject({ ok: true, data: "paid" });
  const events = await Array.fromAsync(journal.read());
  const reason = expect.stringContaining("since ");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "call-start", shadow: { action: "deny", reason } }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ type: "call-refuse", shadow: { action: "deny", reason } }),
  );
  expect(JSON.stringify(events)).not.toContain(token);
});
