import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalRequest } from "@toolkeep/core";
import { expect, test } from "vitest";
import { terminalApprover } from "./terminal-approver.ts";

/** A terminal that types each answer once a prompt is shown. */
function terminal(answers: readonly string[], { isTTY = true } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  const open = [...answers];
  let shown = "";
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    if (!/(?:: |> )$/.test(shown)) return;
    const answer = open.shift();
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  return { input, output, shown: () => shown };
}

const REQUEST: ApprovalRequest = {
  id: "t1/c1",
  sessionId: "s1",
  callId: "c1",
  toolName: "send",
  label: "send",
  origin: { layer: "code", source: "code" },
  arguments: { to: "user" },
  effects: [],
  approvalKey: "send",
  reason: "A rule asks.",
  askedBy: ["rules"],
  agents: [],
  treatment: { base: "ask", show: "undo" },
  binding: { arguments: "a", definition: "d" },
  mayRemember: true,
  suggestions: [],
  batch: { id: "b", index: 0, size: 1 },
  lines: ["Allow send?", "  | net.fetch example.com", "Why it asks: A rule asks."],
};

const signal = new AbortController().signal;

function approverAt({ input, output }: ReturnType<typeof terminal>) {
  return terminalApprover({ input, output });
}

function answerTo(streams: ReturnType<typeof terminal>, request: Partial<ApprovalRequest> = {}) {
  return approverAt(streams).approve({ ...REQUEST, ...request }, signal);
}

test("shows what will happen and why it asks, and allows the call once", async () => {
  const streams = terminal(["y"]);
  expect(await answerTo(streams)).toMatchObject({ verdict: "once" });
  expect(streams.shown()).toContain(REQUEST.lines.join("\n"));
});

test("allows a call for good only if that can be remembered", async () => {
  expect(await answerTo(terminal(["a"]))).toMatchObject({ verdict: "always", scope: "project" });
  const streams = terminal(["a", "n"]);
  expect(await answerTo(streams, { mayRemember: false })).toMatchObject({ verdict: "reject" });
  expect(streams.shown()).not.toContain("always");
});

test("rejects with the reason that was typed", async () => {
  expect(await answerTo(terminal(["n write to the other one"]))).toMatchObject({
    ...{ verdict: "reject", message: "write to the other one" },
  });
});

test("rejects after three lines that are no answer, and when the input ends", async () => {
  expect(await answerTo(terminal(["maybe", "hm", "so", "y"]))).toMatchObject({ verdict: "reject" });
  expect(await answerTo(terminal([]))).toMatchObject({ verdict: "reject" });
});

test("asks one question at a time", async () => {
  const approver = approverAt(terminal(["y", "n"]));
  const answers = await Promise.all([approver.approve(REQUEST, signal), approver.approve(REQUEST, signal)]);
  expect(answers).toMatchObject([{ verdict: "once" }, { verdict: "reject" }]);
});

test("what was typed before the question is shown does not answer it", async () => {
  const streams = terminal(["n"]);
  streams.input.write("y\n");
  expect(await answerTo(streams)).toMatchObject({ verdict: "reject" });
});

test("asks nothing and rejects where there is no terminal", async () => {
  const streams = terminal(["y"], { isTTY: false });
  expect(await answerTo(streams)).toMatchObject({
    ...{ verdict: "reject", message: expect.stringContaining("not an interactive terminal") },
  });
  expect(streams.shown()).toBe("");
});

test("stops asking when the call is cancelled, and asks the next question", async () => {
  const streams = terminal(["y"]);
  streams.output.removeAllListeners("data");
  const controller = new AbortController();
  const approver = approverAt(streams);
  const asked = approver.approve(REQUEST, controller.signal);
  await wait(150);
  controller.abort(new Error("cancelled"));
  await expect(asked).rejects.toThrow("cancelled");
  const next = approver.approve(REQUEST, signal);
  await wait(150);
  streams.input.write("y\n");
  expect(await next).toMatchObject({ verdict: "once" });
});

test("a line that could change the screen is shown with its characters written out", async () => {
  const streams = terminal(["y"]);
  await answerTo(streams, { lines: ["Allow send?\u001b[2K"] });
  expect(streams.shown()).not.toContain("?\u001b[2K");
});

test("answers questions of tools by number or in the user's own words", async () => {
  const streams = terminal(["2", "1, other"]);
  const answers = await approverAt(streams).answer?.(
    {
      ...{ id: "q", sessionId: "s", callId: "c", toolName: "chooser" },
      questions: [
        { question: "Which?\u001b[2K", options: [{ label: "red" }, { label: "green" }] },
        { question: "All of them?", options: [{ label: "a" }, { label: "b" }], multiSelect: true },
      ],
    },
    signal,
  );
  expect(answers).toEqual([["green"], ["a", "other"]]);
  expect(streams.shown()).not.toContain("?\u001b[2K");
});
