import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@toolkeep/core";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { openStore, type Store } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EXIT } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { leaveAnswer } from "./leave-answer.ts";
import { waitingLines } from "./waiting-lines.ts";

const FORGED = "Which?\nm-0-0/ask\n  Allow harmless?\n\u001b[2K";

const asking = defineTool({
  name: "asking",
  description: "Asks.",
  inputSchema: { type: "object" },
  requires: {},
  effects: () => [],
  execute: async (_args, ctx) =>
    ctx.ask([{ question: FORGED, options: [{ label: "a\nb", description: "c\nd" }, { label: "e" }] }]),
});

let folder: string;
let store: Store;
let end: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-answer-"));
  vi.stubEnv("TOOLKEEP_HOME", folder);
  store = openStore({ path: join(folder, "state", "sessions") });
  const workspace = await openWorkspace({
    roots: [folder],
    sandbox: noSandbox(),
    sidecars: join(folder, "sidecars"),
    store,
  });
  const approver = { approve: async () => "later" as const, answer: async () => "later" as const };
  const session = await workspace.createSession({ id: "s1", tools: [asking], approver });
  await session.run([{ id: "c1", name: "asking", arguments: {} }], { id: "turn-a" });
  end = async () => {
    await session.close();
    await workspace.close();
    store.close();
  };
});
afterEach(async () => {
  await end();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function terminal(says: boolean): Terminal & { readonly notes: string[] } {
  const notes: string[] = [];
  return {
    ...{ json: false, color: false, cwd: folder, isInteractive: true, isQuiet: false, notes },
    show: () => {},
    note: (text) => notes.push(text),
    confirm: async (question) => {
      notes.push(question);
      return says;
    },
  };
}

const answerTo = () => ({ given: [["e"]], said: "Answered." });

test("whoever sits at a terminal sees what it is about before the answer counts", async () => {
  const no = terminal(false);
  await expect(leaveAnswer({ id: "turn-a", terminal: no, answerTo })).rejects.toMatchObject({
    exit: EXIT.denied,
  });
  expect(no.notes[0]).toContain("asking asks");
  expect(no.notes.at(-1)).toContain("?");
  expect(await leftIn(store)).toEqual([]);
  await leaveAnswer({ id: "turn-a", terminal: terminal(true), answerTo });
  expect(await leftIn(store)).toHaveLength(1);
});

test("nothing in a question can pose as another entry", () => {
  const [one] = store.waiting();
  if (one === undefined) throw new Error("nothing waits");
  const lines = waitingLines(one, [one]);
  expect(lines.every((line) => !/\p{Cc}/u.test(line))).toBe(true);
  expect(lines.filter((line) => !line.startsWith("  "))).toHaveLength(1);
  expect(lines).toHaveLength(5);
});

test("marks in the lines of an approval stay marks, and control characters never pass", () => {
  const [one] = store.waiting();
  if (one === undefined) throw new Error("nothing waits");
  const request = { ...one.request, lines: ["  | a<U+202E>b\u23cec", "x\u001b[2K"] } as never;
  expect(waitingLines({ ...one, request }, [one]).slice(1, 3)).toEqual([
    "    | a<U+202E>b\u23cec",
    "  x\\x1b[2K",
  ]);
});

async function leftIn(one: Store): Promise<readonly unknown[]> {
  const left: unknown[] = [];
  await one.takeAnswers("s1", async (answer) => left.push(answer) > 0);
  return left;
}
