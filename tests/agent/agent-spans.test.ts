import { createAgent } from "@toolkeep/ai";
import { defineTool, memoryStore } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { openModelServer } from "./model-server.ts";
import { openOtlpReceiver, treeOf } from "./otlp-receiver.ts";

const note = defineTool({
  name: "note",
  description: "Notes.",
  inputSchema: z.object({ text: z.string() }),
  requires: {},
  execute: async () => "noted privately",
});

test("a run is a span with the questions to the model and the calls below it; a resumed run is one of its own", async () => {
  await using receiver = await openOtlpReceiver();
  await using server = await openModelServer({
    reply: (past) =>
      past.length === 0
        ? { calls: [{ name: "note", args: { text: "a private text" } }] }
        : { text: "It is noted." },
  });
  await using store = memoryStore();
  const options = {
    ...{ id: "traced", store, tools: [note], policy: ["ask note"] },
    model: { name: "scripted", baseUrl: server.baseUrl },
  };
  const agent = await createAgent({ ...options, approver: scriptedApprover("later") });
  for await (const event of agent.run("Note this, please."))
    if (event.type === "end") expect(event.reason).toBe("waiting");
  await agent.leave();
  const [open] = await store.waiting();
  if (open === undefined) throw new TypeError("Nothing waits.");
  await store.answer(open.request, { verdict: "once" });
  await using later = await createAgent(options);
  for await (const event of later.resume()) if (event.type === "end") expect(event.reason).toBe("done");

  const spans = await receiver.spans();
  expect(treeOf(spans)).toEqual([
    "invoke_agent",
    "  chat scripted",
    "  execute_tool note",
    "    wait_for_approval",
    "invoke_agent",
    "  execute_tool note",
    "    wait_for_approval",
    "    run_tool",
    "  chat scripted",
  ]);
  expect(spans.filter(({ name }) => name === "invoke_agent").map(({ attributes }) => attributes)).toEqual([
    expect.objectContaining({ "gen_ai.conversation.id": "traced", "toolkeep.run.end": "waiting" }),
    expect.objectContaining({ "toolkeep.is_resumed": true, "toolkeep.run.end": "done" }),
  ]);
  expect(spans.find(({ name }) => name === "chat scripted")).toMatchObject({
    kind: 3,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": "traced",
      "gen_ai.request.model": "scripted",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.response.finish_reasons": ["tool-calls"],
    },
  });
  const sent = await receiver.text();
  for (const text of ["a private text", "noted privately", "Note this", "It is noted"])
    expect(sent).not.toContain(text);
});
