import { describe, expect, test } from "vitest";
import type { ToolMode } from "../contract/call/mode.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { createSession } from "../session/create-session.ts";

interface Declared {
  readonly mode?: ToolMode;
  readonly gated?: boolean;
  readonly effects?: () => readonly [];
}

async function isAsked(name: string, declared: Declared = {}): Promise<boolean> {
  const tool = defineTool({
    ...{ name, description: "Does something.", inputSchema: { type: "object" }, requires: {} },
    ...declared,
    execute: () => "ran",
  });
  let asked = false;
  const session = await createSession({
    tools: [tool],
    async approver() {
      asked = true;
      return { verdict: "once" };
    },
  });
  expect(await session.call({ id: "1", name, arguments: {} })).toMatchObject({ ok: true, data: "ran" });
  await session.close();
  return asked;
}

describe("a tool that declares no effects", () => {
  test.each([
    "transfer_money",
    "pay",
    "send_email",
    "cancel_order",
    "wipe_disk",
    "get_user",
    "list_users",
    "lookup",
  ])("asks, whatever its name is: %s", async (name) => {
    expect(await isAsked(name)).toBe(true);
    expect(await isAsked(name, { effects: () => [] })).toBe(true);
  });

  test.each(["safe_write", "destructive", "external", "local"] as const)(
    "asks with the mode %s",
    async (mode) => {
      expect(await isAsked("act", { mode })).toBe(true);
    },
  );

  test("does not ask if it declares itself the mode read, or that it is not gated", async () => {
    expect(await isAsked("lookup", { mode: "read" })).toBe(false);
    expect(await isAsked("greet", { gated: false })).toBe(false);
  });
});
