import type { Approver } from "@toolkeep/core";
import { expect, test } from "vitest";
import { sourceStage } from "./source-stage.test.kit.ts";

const ask = { name: "ask", description: "Wants to know a colour.", inputSchema: { type: "object" } };
const script = { tools: [ask] };

function answering(questions: unknown[]): Approver {
  return {
    approve: async () => ({ verdict: "once" }),
    answer: async (request) => {
      questions.push(request.questions.map(({ question }) => question).join("\n"));
      return [["blue"]];
    },
  };
}

test.each(["legacy", "modern"])(
  "what a server wants to know is asked of the person (%s)",
  async (generation) => {
    const stage = sourceStage();
    const entry =
      generation === "legacy" ? await stage.program("s", script) : await stage.server("s", script);
    await stage.source.add(entry);
    expect(stage.source.connection("s")?.server?.generation).toBe(generation);
    const questions: unknown[] = [];
    const session = await stage.session({ approver: answering(questions) });
    const result = await session.call({ id: "1", name: "s_ask", arguments: {} });
    expect(questions).toEqual([expect.stringContaining("colour")]);
    expect(JSON.stringify(result.content)).toContain("blue");
  },
);

test("without a user, the server is told so and the call ends", async () => {
  const stage = sourceStage();
  await stage.source.add(await stage.server("s", script));
  const session = await stage.session({ approver: { approve: async () => ({ verdict: "once" }) } });
  const result = await session.call({ id: "1", name: "s_ask", arguments: {} });
  expect(JSON.stringify(result)).not.toContain("blue");
  expect(result.callId).toBe("1");
});

/** The user answers later, elsewhere. */
const later: Approver = { approve: async () => ({ verdict: "once" }), answer: async () => "later" };

test("a turn parks while a server of the newer revision waits for an answer, and continues with it", async () => {
  const stage = sourceStage();
  await stage.source.add(await stage.server("s", script));
  const session = await stage.session({ approver: later });
  const parked = await session.run([{ id: "1", name: "s_ask", arguments: {} }], { id: "t" });
  expect(parked).toMatchObject({ status: "waiting" });
  const [request] = await session.waiting();
  await session.answer(request?.id ?? "", [["blue"]]);
  const done = await session.resume("t");
  expect(JSON.stringify(done)).toContain("blue");
});

test("an older server that asks in the midst of a call is waited for: the call is not sent again", async () => {
  const stage = sourceStage();
  await stage.source.add(await stage.program("s", script));
  const session = await stage.session({ approver: later });
  const running = session.run([{ id: "1", name: "s_ask", arguments: {} }], { id: "t" });
  await expect.poll(async () => (await session.waiting()).length).toBe(1);
  const [request] = await session.waiting();
  await session.answer(request?.id ?? "", [["blue"]]);
  const done = await running;
  expect(done.status).toBe("done");
  expect(JSON.stringify(done)).toContain("blue");
});
