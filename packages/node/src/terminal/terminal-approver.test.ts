import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalRequest } from "@toolkeep/core";
import { expect, test } from "vitest";
import { terminalApprover } from "./terminal-approver.ts";
import { REQUEST, TypedTerminal } from "./typed-terminal.test.kit.ts";

const signal = new AbortController().signal;

function approverAt({ input, output }: TypedTerminal) {
  return terminalApprover({ input, output });
}

/** The answer to a request if this key is pressed. */
function answerTo(key: string, request: Partial<ApprovalRequest> = {}, terminal = new TypedTerminal()) {
  return terminal.answer(key, approverAt(terminal).approve({ ...REQUEST, ...request }, signal));
}

async function shows(terminal: TypedTerminal, text: string): Promise<void> {
  while (!terminal.text.includes(text)) await wait(20);
}

test.concurrent("shows who asks, what the call does and why it asks, and allows the call once", async () => {
  const terminal = new TypedTerminal(100);
  expect(await answerTo("y", {}, terminal)).toEqual({ verdict: "once", by: "terminal" });
  const text = terminal.text;
  expect(text).toContain("APPROVE?  bash (built-in)  agent reviewer  session s1  in /home/ada/shop");
  expect(text).toContain("  | rm -rf /home/ada\nWhat it does:\n  | runs rm -rf /home/ada\n");
  expect(text).toContain("Why it asks: It deletes files. The rule: `ask shell.run` (policy.yaml:12).");
  expect(text).toContain("Taint: this session has read untrusted content (example.com)");
  expect(text).toContain("Sandbox: none; commands run with your own permissions");
  expect(text).toContain(
    "[s] and [p] would save: always allow bash again for this, with any other arguments:",
  );
  expect(text).toContain("[y] once  [s] for this session  [p] for this project  [n] no");
});

test.concurrent("allows a call for good only if that can be remembered", async () => {
  expect(await answerTo("s")).toMatchObject({ verdict: "always", scope: "session" });
  expect(await answerTo("p")).toMatchObject({ verdict: "always", scope: "project" });
  const terminal = new TypedTerminal();
  const { alwaysAllows: _, ...request } = REQUEST;
  const once = approverAt(terminal).approve({ ...request, mayRemember: false }, signal);
  for (const key of ["s", "p"]) await terminal.type(key, 400);
  expect(await terminal.answer("n", once)).toMatchObject({ verdict: "reject" });
  expect(terminal.text).toContain("This is asked every time.");
  expect(terminal.text).not.toContain("[s]");
});

test.concurrent("shows each command of a line, what asks of it, and what cannot be undone", async () => {
  const terminal = new TypedTerminal(100);
  const request = {
    arguments: { command: "npm ci && git push", description: "publish the fix" },
    effects: [
      { capability: "shell.run", target: "npm ci" },
      { capability: "shell.run", target: "git push" },
      { capability: "git.push", target: "origin main" },
    ],
    exactRules: [{ permission: "git.push", pattern: "origin main", action: "allow" }],
    batch: { id: "b", index: 0, size: 2 },
    expiresAt: Date.now() + 598_500,
  } as const;
  await answerTo("n", request, terminal);
  const text = terminal.text;
  expect(text).toContain("  |     1 runs npm ci\n  |     2 runs git push\n");
  expect(text).toContain("  | ASK   IRREVERSIBLE: pushes to origin main\n");
  expect(text).toContain("Agent says (unverified): publish the fix");
  expect(text).toContain("1 of 2");
  expect(text).toMatch(/Expires in 9:5\d/);
});

test.concurrent("rejects, and with the reason that was typed, which may be pasted", async () => {
  expect(await answerTo("n")).toEqual({ verdict: "reject", by: "terminal" });
  const terminal = new TypedTerminal();
  const answer = approverAt(terminal).approve(REQUEST, signal);
  await terminal.press("w", "The reason");
  await terminal.type("\u001b");
  await terminal.press("w", "The reason");
  await terminal.type("\r");
  await terminal.press("w", "The reason");
  for (const keys of ["no!", "\u007f", "\u001b[200~, use\nthe other\u001b[201~", "\r"])
    await terminal.type(keys, 5);
  expect(await answer).toEqual({ verdict: "reject", message: "no, use the other", by: "terminal" });
});

test.concurrent("runs another command instead, once it was shown again", async () => {
  const terminal = new TypedTerminal();
  const answer = approverAt(terminal).approve(REQUEST, signal);
  await terminal.press("e", "The command to run instead");
  for (const keys of ["\u007f".repeat(3), "\u001b[200~tmp\ny\u001b[201~", "\r"]) await terminal.type(keys, 5);
  await terminal.press("n", "APPROVE?");
  await terminal.press("e", "The command to run instead");
  for (const keys of ["\u007f".repeat(3), "bob", "\r"]) await terminal.type(keys, 5);
  const edited = { verdict: "edit", arguments: { command: "rm -rf /home/bob" }, by: "terminal" };
  expect(await terminal.answer("y", answer)).toEqual(edited);
  expect(terminal.text).toContain("RUN THIS INSTEAD?\n  | rm -rf /home/tmp y\n");
});

test.concurrent("does not offer to edit what is not shown as it is", async () => {
  for (const command of ["ls \u001b[2K", "curl -H [redacted:token] a.example", "a\nb"]) {
    const terminal = new TypedTerminal();
    await answerTo("n", { arguments: { command } }, terminal);
    expect(terminal.text).not.toContain("[e]");
  }
});

test.concurrent("explains the rules on demand", async () => {
  const terminal = new TypedTerminal(100, 60);
  const suggestions = [{ permission: "shell.run", pattern: "rm *", action: "allow" }] as const;
  const answer = approverAt(terminal).approve({ ...REQUEST, suggestions }, signal);
  await terminal.press("?", "Wider rules, which allow similar calls too:");
  expect(await terminal.answer("n", answer)).toMatchObject({ verdict: "reject" });
  expect(terminal.text).toContain('  | allow shell.run "rm *"');
});

test.concurrent("Ctrl-C rejects at once, and so does the end of the input", async () => {
  const terminal = new TypedTerminal();
  const interrupted = approverAt(terminal).approve(REQUEST, signal);
  await terminal.type("\u0003", 20);
  expect(await interrupted).toEqual({ verdict: "reject", by: "terminal" });
  const ended = approverAt(terminal).approve(REQUEST, signal);
  terminal.input.end();
  expect(await ended).toEqual({ verdict: "reject", by: "terminal" });
});

test.concurrent("asks one question at a time", async () => {
  const terminal = new TypedTerminal();
  const approver = approverAt(terminal);
  const [first, second] = [approver.approve(REQUEST, signal), approver.approve(REQUEST, signal)];
  expect(await terminal.answer("y", first)).toMatchObject({ verdict: "once" });
  expect(terminal.text.split("APPROVE?")).toHaveLength(3);
  expect(await terminal.answer("n", second)).toMatchObject({ verdict: "reject" });
});

test.concurrent("asks nothing and rejects where there is no terminal", async () => {
  const terminal = new TypedTerminal();
  terminal.input.isTTY = false;
  expect(await approverAt(terminal).approve(REQUEST, signal)).toMatchObject({
    ...{ verdict: "reject", message: expect.stringContaining("not an interactive terminal") },
  });
  expect(terminal.text).toBe("");
});

test.concurrent("stops asking when the call is cancelled, and asks the next question", async () => {
  const terminal = new TypedTerminal();
  const controller = new AbortController();
  const approver = approverAt(terminal);
  const asked = approver.approve(REQUEST, controller.signal);
  await wait(50);
  controller.abort(new Error("cancelled"));
  await expect(asked).rejects.toThrow("cancelled");
  const next = approver.approve(REQUEST, signal);
  expect(await terminal.answer("y", next)).toMatchObject({ verdict: "once" });
});

test.concurrent("answers questions of tools by number or in the user's own words", async () => {
  const terminal = new TypedTerminal();
  const answers = approverAt(terminal).answer?.(
    {
      ...{ id: "q", sessionId: "s", callId: "c", toolName: "chooser", agents: ["scout"] },
      questions: [
        { question: "Which?\u001b[2K", options: [{ label: "red" }, { label: "green" }] },
        { question: "All of them?", options: [{ label: "a" }, { label: "b" }], multiSelect: true },
      ],
    },
    signal,
  );
  await terminal.type("1\n");
  await shows(terminal, "Which?");
  for (const keys of ["2", "\r"]) await terminal.type(keys, 5);
  await shows(terminal, "All of them?");
  for (const keys of ["1, other", "\r"]) await terminal.type(keys, 5);
  expect(await answers).toEqual([["green"], ["a", "other"]]);
  expect(terminal.text).toContain("Which?\\x1b[2K");
  expect(terminal.text).toContain("chooser asks for the agent scout:");
});
