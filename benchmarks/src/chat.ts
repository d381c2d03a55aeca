import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { govern } from "@toolkeep/ai";
import { memoryStore, type SessionStore } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { generateText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { argumentTexts, executeFindText, findText } from "./find-text-tool.ts";
import { findTextZod } from "./find-text-zod.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const rounds = options.quick ? 15 : 61;
const REQUESTS = 10;
/** Requests of a chat before it is measured. */
const BEFORE = options.quick ? 500 : 3_000;
const PLAIN = "generateText alone";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

let calls = 0;
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    calls += 1;
    const input = argumentTexts[calls % argumentTexts.length] ?? "";
    return {
      content: [{ type: "tool-call", toolCallId: `c${calls}`, toolName: findText.name, input }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  },
});

const tools = {
  [findText.name]: tool({
    description: findText.description,
    inputSchema: findTextZod,
    execute: (args) => executeFindText(args),
  }),
};

/** One request of a chat, as a server handles it: it governs the tools, runs the loop and lets go of the session. */
async function governedRequest(store: SessionStore, sessionId = "chat"): Promise<void> {
  const declared = { requires: { fs: { read: ["/data/**"] } }, effects: readsPath, mode: "read" } as const;
  const governed = await govern(tools, {
    ...{ store, sessionId, tools: { [findText.name]: declared } },
    policy: [{ permission: "fs.read", pattern: "/data/**", action: "allow" }],
  });
  const { toolResults } = await generateText({
    ...{ model, prompt: "Find it.", tools: governed.tools, toolApproval: governed.toolApproval },
  });
  await governed.close();
  if (toolResults.length !== 1) throw new Error("the call did not run");
}

function readsPath({ path }: { readonly path: string }) {
  return [fsRead(path)];
}

using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-chat-"));
const memory = memoryStore();
await using sqlite = openSqliteStore({ path: join(folder.path, "normal"), durability: "normal" });
await using synced = openSqliteStore({ path: join(folder.path, "full") });
/** The most that a request may take, as a multiple of what the SDK takes alone. */
const GOALS: Readonly<Record<string, number>> = {
  "govern, store in memory": 5,
  "govern, SQLite, durability normal": 12,
  "govern, SQLite, durability full": 12,
};
const GOVERNED = {
  "govern, store in memory": memory,
  "govern, SQLite, durability normal": sqlite,
  "govern, SQLite, durability full": synced,
} satisfies Readonly<Record<keyof typeof GOALS, SessionStore>>;
const long = (name: string) => `${name}, a chat of ${BEFORE} requests`;
const contenders: Readonly<Record<string, () => Promise<unknown>>> = {
  [PLAIN]: () => generateText({ model, tools, prompt: "Find it." }),
  ...Object.fromEntries(
    Object.entries(GOVERNED).flatMap(([name, store]) => [
      [name, () => governedRequest(store)],
      [long(name), () => governedRequest(store, "long")],
    ]),
  ),
};
for (const [name, store] of Object.entries(GOVERNED)) {
  progress(`${BEFORE} requests before: ${name}`);
  for (let request = 0; request < BEFORE; request += 1) await governedRequest(store, "long");
}

const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
progress(`${rounds} rounds of ${REQUESTS} requests`);
for (let round = -3; round < rounds; round += 1) {
  for (const [name, request] of Object.entries(contenders)) {
    const milliseconds = await timed(request);
    if (round >= 0) times.get(name)?.push(milliseconds);
  }
}

printReport(
  {
    name: "bench:chat",
    goals: Object.entries(GOALS).flatMap(([name, most]) => [
      evaluate(`${name}, x ${PLAIN}`, medianRatio(timesOf(name), timesOf(PLAIN)), `<= ${most}`),
      evaluate(`${long(name)} / a short one`, medianRatio(timesOf(long(name)), timesOf(name)), "<= 1.3"),
    ]),
    figures: [...times].map(toFigure),
  },
  options,
);

function timesOf(name: string): readonly number[] {
  return times.get(name) ?? [];
}

async function timed(request: () => Promise<unknown>): Promise<number> {
  // The mock remembers every request; a real model would not.
  model.doGenerateCalls.length = 0;
  const start = performance.now();
  for (let index = 0; index < REQUESTS; index += 1) await request();
  return (performance.now() - start) / REQUESTS;
}

function toFigure([name, all]: readonly [string, readonly number[]]): Figure {
  return {
    name,
    "ms/request": rounded(median(all)),
    [`x ${PLAIN}`]: rounded(medianRatio(all, timesOf(PLAIN))),
    rounds: all.length,
  };
}
