import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { client, ndJsonStream, PROTOCOL_VERSION, type SessionNotification } from "@agentclientprotocol/sdk";
import type { ToolCall } from "@toolkeep/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { governedAgent } from "./governed-agent.ts";

type Update = SessionNotification["update"];

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "acp-")));
  writeFileSync(join(root, "a.txt"), "first");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What an editor is told while an agent runs these calls, through ACP's own client and agent. */
async function toldTo(calls: readonly ToolCall[]): Promise<readonly Update[]> {
  const { app, close } = await governedAgent(root);
  const updates: Update[] = [];
  const [near, far] = streams();
  const server = app.connect(near);
  await client()
    .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "once" } }))
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .connectWith(far, async (editor) => {
      await editor.request("initialize", { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
      const { sessionId } = await editor.request("session/new", { cwd: root, mcpServers: [] });
      const text = JSON.stringify(calls);
      await editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    });
  server.close();
  await close();
  return updates;
}

function streams() {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return [ndJsonStream(there.writable, back.readable), ndJsonStream(back.writable, there.readable)] as const;
}

test("[C108] an editor that speaks ACP is told the kind of every call, once, and then how it goes", async () => {
  const path = join(root, "a.txt");
  const calls: Record<string, [string, Record<string, unknown>]> = {
    read: ["read", { path }],
    edit: ["edit", { path, old_string: "first", new_string: "second" }],
    search: ["grep", { pattern: "first" }],
    execute: ["bash", { command: "true" }],
    fetch: ["web_fetch", { url: "https://example.test/" }],
    think: ["skill", { name: "none" }],
    other: ["todo", { todos: [] }],
  };
  const updates = await toldTo(
    Object.entries(calls).map(([id, [name, args]]) => ({ id, name, arguments: args })),
  );
  const announced = updates.filter((update) => update.sessionUpdate === "tool_call");
  expect(announced.map(({ kind }) => kind).sort()).toEqual(Object.keys(calls).sort());
  for (const { toolCallId, kind } of announced) expect(toolCallId.endsWith(`/${kind}`)).toBe(true);
  for (const { toolCallId } of announced) {
    const last = updates.findLast((update) => "toolCallId" in update && update.toolCallId === toolCallId);
    expect(last).toMatchObject({ status: expect.stringMatching(/^(?:completed|failed)$/) });
  }
});

test("[C108] a call of a tool that names no kind carries that of what it does, and where", async () => {
  const updates = await toldTo([{ id: "c1", name: "files_put", arguments: { path: "src/x.ts" } }]);
  expect(updates).toMatchObject([
    {
      sessionUpdate: "tool_call",
      kind: "edit",
      status: "pending",
      locations: [{ path: join(root, "src/x.ts") }],
    },
    { sessionUpdate: "tool_call_update", status: "in_progress" },
    { sessionUpdate: "tool_call_update", status: "completed" },
  ]);
});

test("[C108] a call that never ran is told as failed, with the reason", async () => {
  const updates = await toldTo([{ id: "c1", name: "nothing", arguments: {} }]);
  expect(updates).toMatchObject([{ sessionUpdate: "tool_call", kind: "other", status: "failed" }]);
  expect(JSON.stringify(updates)).toContain("nothing");
});
