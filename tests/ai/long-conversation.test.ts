import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { compaction } from "@toolkeep/ai/prompt";
import { memoryStore } from "@toolkeep/core";
import { tokenCounter } from "@toolkeep/core/internal";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CompactionRecord } from "../../packages/ai/src/compaction/compaction-record.ts";

const WINDOW = 16_000;
const REPLY = 1_000;
const REPLY_TOKENS = 20;
const STEPS = 300;
const FILES = 20;

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-long-")));
  mkdirSync(join(root, "src"));
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(
      join(root, `src/file-${file}.ts`),
      Array.from({ length: 60 }, (_, line) => `export const value${file}x${line} = ${line};`).join("\n"),
    );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a conversation that is longer than the window", () => {
  test("300 steps with real tools finish in a window of 16,000 tokens, and every part is accounted for", async () => {
    const script = await readingModel(STEPS);
    await using store = memoryStore();
    await using workspace = await openWorkspace({ roots: [root], store, sandbox: noSandbox() });
    await using agent = await createAgent({
      ...{ model: script.model, workspace, tools: standardTools(), id: "long" },
      policy: ["allow fs.read {workspace}/**"],
      instructions: "You read files.",
      limits: { steps: STEPS + 1 },
      compact: compaction({ window: WINDOW, reply: REPLY }),
    });
    const end = await Array.fromAsync(agent.run("Read every file again and again.")).then((all) =>
      all.at(-1),
    );
    expect(end).toMatchObject({ type: "end", reason: "done", steps: STEPS + 1, text: "All read." });

    // Every question and its reply fit into the window, as the model counts them.
    expect(Math.max(...script.sizes) + REPLY_TOKENS).toBeLessThanOrEqual(WINDOW);
    expect(script.prompts.every((prompt) => prompt.includes("Read every file again and again."))).toBe(true);

    const records: CompactionRecord[] = [];
    const results = new Set<string>();
    for await (const event of agent.session.journal.read({ types: ["context-compact", "call-end"] })) {
      if (event.type === "call-end" && event.ok) results.add(event.callId);
      if (event.type === "context-compact")
        records.push((event.value.value as { dropped: CompactionRecord }).dropped);
    }
    // The journal has everything.
    expect(results.size).toBe(STEPS);
    expect(records.length).toBeGreaterThan(3);
    expect(records.filter(({ summary }) => summary !== undefined)).toHaveLength(script.summaries());
    for (const { before, after, added, parts } of records)
      expect(before - parts.reduce((sum, { tokens }) => sum + tokens, 0) + added).toBe(after);

    // What the last question does not show whole was left out by a record, exactly once as a message.
    const last = script.prompts.at(-1) ?? "";
    const cut = records.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "result"));
    const gone = records.flatMap(({ parts }) =>
      parts.filter(({ role, kind }) => kind === "message" && role === "tool"),
    );
    const cutIds = new Set(cut.flatMap(({ callIds }) => callIds));
    const goneIds = gone.flatMap(({ callIds }) => callIds);
    expect(new Set(goneIds).size).toBe(goneIds.length);
    for (const id of results) {
      const isShown = last.includes(JSON.stringify(id));
      expect([id, isShown]).toEqual([id, !goneIds.includes(id)]);
      if (isShown) expect([id, cutIds.has(id)]).toEqual([id, script.isNoted(id)]);
    }
  });

  test("a compaction that is recorded is not paid for again after a crash", async () => {
    const store = memoryStore();
    await using workspace = await openWorkspace({ roots: [root], store, sandbox: noSandbox() });
    const options = {
      ...{ workspace, store, tools: standardTools(), id: "crash", limits: { steps: STEPS } },
      policy: ["allow fs.read {workspace}/**"],
      compact: compaction({ window: 6_000, reply: 500 }),
    };
    // Fails in the step right after the first summary.
    const first = await readingModel(60, { failsAfterSummary: true });
    const broken = await createAgent({ ...options, model: first.model });
    const events = await Array.fromAsync(broken.run("Read."));
    expect(events.at(-1)).toMatchObject({ reason: "failed" });
    expect(first.summaries()).toBe(1);
    await broken.leave();
    const second = await readingModel(60, { from: first.steps() });
    await using agent = await createAgent({ ...options, model: second.model });
    const resumed = await Array.fromAsync(agent.resume());
    expect(resumed.at(-1)).toMatchObject({ reason: "done" });
    const step = events.findLast((event) => event.type === "compaction");
    // The same step has one compaction, and the first question of the new process is already short.
    let compactions = 0;
    for await (const event of agent.session.journal.read({ types: ["context-compact"] }))
      if (event.type === "context-compact" && event.step === step?.step) compactions += 1;
    expect(compactions).toBe(1);
    expect(second.prompts[0]).toContain("earlier messages of this conversation were left out");
  });
});

interface ModelOptions {
  readonly from?: number;
  readonly failsAfterSummary?: boolean;
}

/** A model that reads files one after the other, and writes a summary when it is asked for one. */
async function readingModel(steps: number, { from = 0, failsAfterSummary = false }: ModelOptions = {}) {
  const countTokens = await tokenCounter();
  const prompts: string[] = [];
  const sizes: number[] = [];
  const noted = new Set<string>();
  let step = from;
  let summaries = 0;
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt, tools = [] }) => {
      const text = JSON.stringify(prompt);
      const inputTokens = countTokens(contentOf(prompt)) + countTokens(JSON.stringify(tools));
      sizes.push(inputTokens);
      if (tools.length === 0) {
        summaries += 1;
        return streamed(
          [...textParts(`Summary ${summaries}: the files are constants.`)],
          "stop",
          inputTokens,
        );
      }
      if (failsAfterSummary && summaries > 0) throw new Error("The provider is down.");
      prompts.push(text);
      for (const message of prompt)
        if (message.role === "tool")
          for (const part of message.content)
            if (part.type === "tool-result" && JSON.stringify(part.output).includes("Left out to save space"))
              noted.add(part.toolCallId);
      step += 1;
      if (step > steps) return streamed(textParts("All read."), "stop", inputTokens);
      const input = JSON.stringify({ path: `src/file-${step % FILES}.ts` });
      const call = { type: "tool-call" as const, toolCallId: `call-${step}`, toolName: "read", input };
      return streamed([...textParts(`Reading file ${step % FILES}.`), call], "tool-calls", inputTokens);
    },
  });
  return {
    model,
    prompts,
    sizes,
    summaries: () => summaries,
    steps: () => step,
    isNoted: (id: string) => noted.has(id),
  };
}

type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>;
type Prompt = Parameters<MockLanguageModelV4["doStream"]>[0]["prompt"];

/** What a provider counts: texts, calls and results, without the names of fields. */
function contentOf(prompt: Prompt): string {
  return prompt
    .flatMap(({ content }) =>
      typeof content === "string"
        ? [content]
        : content.map((part) => {
            if (part.type === "text") return part.text;
            if (part.type === "tool-call") return `${part.toolName} ${JSON.stringify(part.input)}`;
            return part.type === "tool-result" ? JSON.stringify(part.output) : "";
          }),
    )
    .join("\n");
}

function textParts(text: string) {
  return [
    { type: "text-start" as const, id: "1" },
    { type: "text-delta" as const, id: "1", delta: text },
    { type: "text-end" as const, id: "1" },
  ];
}

function streamed(parts: readonly object[], reason: "stop" | "tool-calls", inputTokens: number): Streamed {
  const usage = {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: REPLY_TOKENS, text: REPLY_TOKENS, reasoning: undefined },
  };
  const finish = { type: "finish" as const, finishReason: { unified: reason, raw: reason }, usage };
  return {
    stream: convertArrayToReadableStream([
      { type: "stream-start" as const, warnings: [] },
      ...parts,
      finish,
    ] as never[]),
  };
}
