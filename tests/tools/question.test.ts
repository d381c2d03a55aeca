import type { QuestionAnswers } from "@toolkeep/core";
import { createSessionWithPorts as createSession, HEADLESS_QUESTION } from "@toolkeep/core/internal";
import { scriptedApprover, stubTool, toolConformance } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { askPerson } from "../../packages/tools/src/session/ask-person.ts";
import { questionTool } from "../../packages/tools/src/session/question-tool.ts";
import { runProgram } from "../crash/run-program.ts";
import { call } from "../scenario.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const QUESTIONS = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [{ label: "Red", description: "As it was." }, { label: "Blue" }],
    multi_select: true,
  },
  { question: "Why?" },
];
const asking = (id = "c1") => call("question", { questions: QUESTIONS }, id);

test("[C49] questions reach the user unchanged, and one list of answers comes back for each", async () => {
  const approver = scriptedApprover("once", () => [["Red", "Blue"], ["because"]]);
  const session = await createSession({ tools: [questionTool()], approver });
  const result = await session.call(asking());
  expect(result).toMatchObject({ ok: true, data: { answers: [["Red", "Blue"], ["because"]] } });
  const [{ multi_select: multiSelect, ...first }, second] = QUESTIONS as [(typeof QUESTIONS)[0], object];
  expect(approver.questions[0]).toMatchObject({
    toolName: "question",
    questions: [{ ...first, multiSelect }, second],
  });
});

test("[C49] while the user decides, the turn is parked, and the other calls of the turn are settled", async () => {
  const other = stubTool("other");
  const approver = scriptedApprover("once", () => "later");
  const session = await createSession({ tools: [questionTool(), other.tool], approver });
  const parked = await session.run([asking("ask"), call("other", {}, "other")], { id: "t" });
  expect(parked).toMatchObject({ status: "waiting", requests: [{ id: "t/ask/question/1" }] });
  expect(other.executed).toHaveLength(1);
  await session.answer("t/ask/question/1", [["Blue"], []]);
  const done = await session.resume("t");
  expect(done.results.map((result) => result?.data)).toEqual([{ answers: [["Blue"], []] }, "done"]);
  expect(other.executed).toHaveLength(1);
});

test("[C50] without an approver it fails with a fixed text, and no answer is invented", async () => {
  const session = await createSession({ tools: [questionTool()] });
  expect((await session.call(asking())).failure).toEqual({ code: "unavailable", message: HEADLESS_QUESTION });
  expect(HEADLESS_QUESTION).toBe(
    "No approver is configured to answer questions. Continue with your best guess.",
  );
});

test("[C49] a question survives the process that asked it: another process takes the answer and continues", async () => {
  const at = temporaryFolder();
  const sessionId = "asked";
  const program = runProgram("../tools/ask-and-park.ts", { folder: at, sessionId, calls: [asking("ask")] });
  await program.saidLines(1);
  expect(program.lines).toEqual(["waiting"]);
  program.kill();
  await program.ended;

  const store = openSqliteStore({ path: at });
  const ports = { id: sessionId, journal: store.journal(sessionId), pending: store.pending };
  const session = await createSession({
    ...ports,
    tools: [questionTool()],
    approver: scriptedApprover("once", () => "later"),
  });
  const [request] = await session.waiting();
  expect(request).toMatchObject({ id: "asking/ask/question/1", toolName: "question" });
  await session.answer("asking/ask/question/1", [["Red"], ["habit"]]);
  const outcome = await session.resume("asking");
  expect(outcome).toMatchObject({
    status: "done",
    results: [{ ok: true, data: { answers: [["Red"], ["habit"]] } }],
  });
  expect(await session.waiting()).toEqual([]);
  await session.close();
  await store.close();
});

test("answers that do not match the questions are rejected", async () => {
  const answered = async (answers: unknown) => {
    const approver = scriptedApprover("once", () => answers as QuestionAnswers);
    const session = await createSession({ tools: [questionTool()], approver });
    return (await session.call(asking())).failure?.code;
  };
  expect(await answered([["Red"]])).toBe("tool_failed");
  expect(await answered([["Red"], [{ label: "Red" }]])).toBe("tool_failed");
  expect(await answered([[], []])).toBeUndefined();
});

test("any tool can ask: it parks and runs again with the answer", async () => {
  const clarify = stubTool("clarify", async (args, ctx) => {
    const [[answer] = []] = await askPerson(ctx, [{ question: String(args["question"]) }]);
    return { answer };
  });
  const session = await createSession({
    tools: [clarify.tool],
    policy: [{ permission: "*", action: "allow" }],
    approver: scriptedApprover("once", () => "later"),
  });
  const turnId = "t";
  const parked = await session.run([call("clarify", { question: "Which?" })], { id: turnId });
  expect(parked.status).toBe("waiting");
  await session.answer("t/c1/question/1", [["this one"]]);
  expect((await session.resume(turnId)).results[0]?.data).toEqual({ answer: "this one" });
});

test("[C46] it needs nothing and satisfies the tool contract", async () => {
  expect(questionTool()).toMatchObject({ requires: {}, gated: false, kind: "other" });
  const many = Array.from({ length: 11 }, () => ({ question: "Again?" }));
  const refuses = [{}, { questions: [] }, { questions: many }, { questions: [{ question: "" }] }];
  const errors = await toolConformance(questionTool(), { examples: [{ questions: QUESTIONS }], refuses });
  expect(errors).toEqual([]);
});
