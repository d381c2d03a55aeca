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
async function governedRequest(store: SessionStore): Promise<void> {
  const declared = { requires: { fs: { read: ["/data/**"] } }, effects: readsPath, mode: "read" } as const;
  const governed = await govern(tools, {
    ...{ store, sessionId: "chat", tools: { [findText.name]: declared } },
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
const contenders: Readonly<Record<string, () => Promise<unknown>>> = {
  [PLAIN]: () => generateText({ model, tools, prompt: "Find it." }),
  "govern, store in memory": () => governedRequest(memory),
  "govern, SQLite, durability normal": () => governedRequest(sqlite),
  "govern, SQLite, durability full": () => governedRequest(synced),
};

const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
progress(`${rounds} rounds of ${REQUESTS} requests`);
for (let round = -3; round < rounds; round += 1) {
  for (const [name, request] of Object.entries(contenders)) {
    const milliseconds = await timed(request);
    if (round >= 0) times.get(name)?.push(milliseconds);
  }
}

const growing = Object.keys(contenders).filter((name) => name !== PLAIN);
printReport(
  {
    name: "bench:chat",
    goals: growing.map((name) => evaluate(`${name}, last requests / first ones`, growth(name), "<= 1.3")),
    figures: [...times].map(toFigure),
  },
  options,
);

/** How much longer the last third of the requests took than the first third, apart from what the SDK itself took. */
function growth(name: string): number {
  const [all, alone] = [times.get(name) ?? [], times.get(PLAIN) ?? []];
  const third = Math.floor(rounds / 3);
  const first = medianRatio(all.slice(0, third), alone.slice(0, third));
  return medianRatio(all.slice(-third), alone.slice(-third)) / first;
}

async function timed(request: () => Promise<unknown>): Promise<number> {
  // The mock remembers every request; a real model would not.
  model.doGenerateCalls.length = 0;
  const start = performance.now();
  for (let index = 0; index < REQUESTS; index += 1) await request();
  return (performance.now() - start) / REQUESTS;
}

function toFigure([name, all]: readonly [string, readonly number[]]): Figure {
  const alone = times.get(PLAIN) ?? [];
  return {
    name,
    "ms/request": rounded(median(all)),
    [`x ${PLAIN}`]: rounded(medianRatio(all, alone)),
    rounds: all.length,
  };
}
