import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest } from "@toolkeep/core";
import { describe, expect, test } from "vitest";
import { terminalApprover } from "../packages/node/src/terminal/terminal-approver.ts";
import { REQUEST } from "../packages/node/src/terminal/typed-terminal.test.kit.ts";
import { EmulatedTerminal, type Screen } from "./terminal/emulated-terminal.ts";
import { SPOOF_ATTEMPTS, type SpoofAttempt, TRUTH } from "./terminal/spoof-attempts.ts";

/** What a row of the prompt itself begins with. Rows with text of others begin with a bar. */
const OURS =
  /^(?:APPROVE\? |What it does:|Why it asks: |Taint: |Sandbox: |Agent says |\[s\] and \[p\] |\[y\] once|\[s\] for|\[p\] for|\[n\] no|\[w\] no|\[e\] edit|\[\?\] |agent |session |in |This request |The request has |--- rows )/;
const ONCE = [/^APPROVE\? /, /^\[y\] once/, /^What it does:/, /^Why it asks: /];

/** What is wrong with what a user sees; nothing if an attempt fails. */
function deceptions(
  screen: Screen,
  { pretends, before }: SpoofAttempt,
  deeds: readonly string[],
): readonly string[] {
  const isLong = screen.visible.some((row) => /^(?:The request has|This request is too long)/.test(row));
  const isTitle = (row: string) => row.startsWith("APPROVE?  ");
  // What stands above the prompt is not part of it.
  const begin = before === undefined ? screen.rows.findIndex(isTitle) : screen.rows.findLastIndex(isTitle);
  const rows = screen.rows.slice(Math.max(begin, 0)).filter((row) => row !== "");
  const told = rows.flatMap((row) => (row.startsWith("  |") ? [row.slice(4)] : [])).join("");
  const plain = (text: string) => text.replaceAll(/\s/g, "");
  const mostTitles = isLong ? 2 : 1;
  const many = ONCE.filter(
    (ours) => rows.filter((row) => ours.test(row)).length > (ours === ONCE[0] ? mostTitles : 1),
  );
  return [
    ...(begin === -1 ? ["there is no title"] : []),
    ...(plain(told).includes(plain(TRUTH)) ? [] : ["the command is not shown"]),
    ...rows
      .filter((row) => !row.startsWith("  |") && !OURS.test(row))
      .map((row) => `a row is not ours: ${row}`),
    ...many.map((ours) => `more than one ${ours.source}`),
    ...(screen.visible.some((row) => row.startsWith("APPROVE? ")) ? [] : ["the title is out of sight"]),
    ...(pretends !== undefined && rows.join("\n").includes(pretends) ? ["it looks like something else"] : []),
    ...(screen.isOdd ? ["the terminal is left in another state"] : []),
    ...deeds,
  ];
}

/** The same prompt, with everything as it comes. */
function unescapedPrompt({
  toolName,
  origin,
  agents,
  sessionId,
  arguments: args,
  effects,
  reason,
  context,
}: ApprovalRequest) {
  const lines = [
    `APPROVE?  ${toolName} (${origin.id ?? "built-in"})  agent ${agents.join(" > ")}  session ${sessionId}  in ${context?.directories[0]}`,
    ...Object.entries(args as object).map(([name, value]) =>
      name === "command" ? `  | ${value}` : `  | ${name}: ${value}`,
    ),
    "What it does:",
    ...effects.map(({ capability, target, note = "" }) =>
      capability === "net.fetch"
        ? `  | contacts ${target}`
        : `  | ${capability === "shell.run" ? "runs" : capability} ${target} ${note}`,
    ),
    `Why it asks: ${reason}`,
    ...(context?.taint ?? []).map(({ from }) => `Taint: ${from}`),
    "[y] once  [n] no",
  ];
  return lines.join("\n");
}

async function shownBy(
  attempt: SpoofAttempt,
  show: (terminal: EmulatedTerminal, request: ApprovalRequest) => void,
) {
  const terminal = new EmulatedTerminal(attempt.columns, attempt.rows);
  if (attempt.before !== undefined) terminal.output.write(attempt.before);
  await terminal.screen();
  terminal.deeds.length = 0;
  show(terminal, { ...REQUEST, ...attempt.request });
  await wait(20);
  const screen = await terminal.screen();
  return { deceptions: deceptions(screen, attempt, terminal.deeds), screen };
}

function ask(terminal: EmulatedTerminal, request: ApprovalRequest, signal = new AbortController().signal) {
  const { input, output } = terminal;
  return terminalApprover({ input, output }).approve(request, signal);
}

describe.each(SPOOF_ATTEMPTS.map((attempt) => [attempt.name, attempt] as const))(
  "a request %s",
  (_name, attempt) => {
    test("and deceives no one", async () => {
      const cancelled = new AbortController();
      const { deceptions: found, screen } = await shownBy(attempt, (terminal, request) => {
        ask(terminal, request, cancelled.signal).catch(() => {});
      });
      cancelled.abort();
      expect(found, screen.rows.join("\n")).toEqual([]);
    });

    test("and would deceive if it were shown as it comes", async () => {
      const { deceptions: found, screen } = await shownBy(attempt, (terminal, request) => {
        terminal.output.write(unescapedPrompt(request));
      });
      expect(found, screen.rows.join("\n")).not.toEqual([]);
    });
  },
);

test("there are thirty attempts at least", () => {
  expect(SPOOF_ATTEMPTS.length + TYPED.length).toBeGreaterThanOrEqual(30);
});

test("a request that is longer than a terminal keeps cannot be approved, and the prompt says so", async () => {
  const terminal = new EmulatedTerminal(80, 24);
  const command = `${TRUTH}\n${"echo ok\n".repeat(5_000)}`;
  const answer = ask(terminal, { ...REQUEST, arguments: { command } });
  await terminal.type("y", 500);
  const { visible } = await terminal.screen();
  expect(visible.join("\n")).toContain("cannot be approved here");
  expect(visible.join("\n")).not.toContain("[y]");
  expect(await terminal.answer("n", answer)).toMatchObject({ verdict: "reject" });
});

test("a terminal that becomes narrow shows the whole prompt again, and takes no key that was on its way", async () => {
  const terminal = new EmulatedTerminal(80, 40);
  const command = `${TRUTH}${"x".repeat(84 - TRUTH.length)}[y] once  [n] no`;
  const answer = ask(terminal, { ...REQUEST, arguments: { command } });
  await wait(400);
  terminal.resize(20, 60);
  await terminal.type("y", 5);
  await wait(100);
  const screen = await terminal.screen();
  const rows = screen.rows.slice(screen.rows.findLastIndex((row) => row.startsWith("APPROVE?")));
  expect(rows.filter((row) => row.startsWith("[y] once")).length).toBe(1);
  expect(
    rows.every((row) => row === "" || row.startsWith("  |") || OURS.test(row)),
    rows.join("\n"),
  ).toBe(true);
  expect(await terminal.answer("n", answer)).toMatchObject({ verdict: "reject" });
});

/** Keys that the user did not press to answer the prompt. */
interface TypedAttempt {
  readonly name: string;
  type(terminal: EmulatedTerminal, show: () => void): Promise<void>;
}

const after =
  (...pieces: readonly string[]): TypedAttempt["type"] =>
  async (terminal, show) => {
    show();
    await wait(400);
    for (const piece of pieces) await terminal.type(piece, 8);
  };

const TYPED: readonly TypedAttempt[] = [
  {
    name: "typed before the prompt appeared",
    type: async (terminal, show) => {
      await terminal.type("y");
      show();
    },
  },
  {
    name: "typed with Enter before the prompt appeared",
    type: async (terminal, show) => {
      await terminal.type("y\n");
      show();
    },
  },
  {
    name: "typed at the moment the prompt appeared",
    type: async (terminal, show) => {
      show();
      await terminal.type("y", 100);
    },
  },
  {
    name: "typed by a user who is writing something else",
    type: async (terminal, show) => {
      show();
      for (const key of "it is really easy") await terminal.type(key, 60);
    },
  },
  { name: "pasted", type: after("\u001b[200~y\u001b[201~") },
  { name: "pasted in pieces", type: after("\u001b[200~", "y", "\u001b[201~") },
  { name: "pasted with marks in pieces", type: after("\u001b[20", "0~", "y", "\u001b[20", "1~") },
  { name: "pasted into a terminal that does not mark it", type: after("yes\n") },
  { name: "pasted character by character", type: after("y", "e", "s", "\n") },
  { name: "pasted with a line end", type: after("y\n") },
  { name: "repeated because the key is held", type: after("y", "y", "y", "y", "y") },
  { name: "the end of a sequence of the terminal", type: after("\u001b[1;1y") },
  { name: "pressed with Alt", type: after("\u001by") },
];

describe("a key", () => {
  const typed = TYPED.map((attempt) => [attempt.name, attempt] as const);
  test.concurrent.each(typed)("that is %s answers nothing", async (_name, { type }) => {
    const terminal = new EmulatedTerminal();
    let answer: Promise<ApprovalAnswer | "later"> | undefined;
    await type(terminal, () => {
      answer = ask(terminal, REQUEST);
    });
    await terminal.type("\r", 150);
    const isOpen = Promise.race([answer, wait(150).then(() => "open")]);
    expect(await isOpen).toBe("open");
    expect(await terminal.answer("n", answer ?? Promise.reject(new Error("not shown")))).toMatchObject({
      verdict: "reject",
    });
  });

  test.concurrent.each(typed)(
    "that is %s answers a prompt that takes what comes",
    async (_name, { type }) => {
      const terminal = new EmulatedTerminal();
      let taken = "";
      await type(terminal, () => {
        terminal.input.on("data", (chunk: Buffer) => {
          taken += chunk.toString("utf8");
        });
      });
      await wait(20);
      expect(taken).toContain("y");
    },
  );
});
