import { type ContenderSpec, type Measured, measureBytes, measureInterleaved } from "./harness.ts";
import { evaluate, type Figure, printReport, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

// Peers run in their fastest form that validates arguments, if they have one.
const bare = { name: "bare async function", file: new URL("./contenders/bare-function.ts", import.meta.url) };
const floor = {
  name: "JSON.parse + ajv + function (floor)",
  file: new URL("./contenders/floor.ts", import.meta.url),
};
const governed = { name: "Toolkeep, governed", file: new URL("./contenders/governed.ts", import.meta.url) };
const governedBy10 = { ...governed, name: `${governed.name}, 10 parallel`, parallel: 10 };
const governedBy100 = { ...governed, name: `${governed.name}, 100 parallel`, parallel: 100 };
const executeTool = {
  name: "AI SDK executeTool",
  file: new URL("./contenders/ai-sdk-execute-tool.ts", import.meta.url),
};
const generateText = {
  name: "AI SDK generateText, 1 call",
  file: new URL("./contenders/ai-sdk-generate-text.ts", import.meta.url),
};
const openai = {
  name: "OpenAI Agents invokeFunctionTool",
  file: new URL("./contenders/openai-agents.ts", import.meta.url),
};
const langchain = {
  name: "LangChain tool.invoke",
  file: new URL("./contenders/langchain.ts", import.meta.url),
};
const mastra = { name: "Mastra tool.execute", file: new URL("./contenders/mastra.ts", import.meta.url) };
const mcp = { name: "MCP in memory", file: new URL("./contenders/mcp-in-memory.ts", import.meta.url) };

const alone = [bare, floor, governed, mastra, executeTool, openai, langchain, mcp, generateText];
/** Those that a goal names. */
const withGoals = [floor, governed, mastra, openai, langchain, mcp, governedBy100];

const WARM_MS = 800;

const options = readOptions();
const measured = await measureInterleaved(
  options.quick ? withGoals : [...alone, governedBy10, governedBy100],
  {
    rounds: options.quick ? 11 : 61,
    sampleMilliseconds: 12,
    warmMilliseconds: WARM_MS,
  },
);
const bytes = new Map<string, number>();
for (const spec of options.quick ? [floor, governed] : alone) {
  bytes.set(spec.name, await measureBytes(spec, WARM_MS));
}

printReport(
  {
    name: "bench:call",
    goals: [
      evaluate("governed / floor", ratio(governed, floor), "<= 7"),
      evaluate("bytes allocated per governed call", bytes.get(governed.name) ?? Number.NaN, "<= 7168"),
      evaluate("governed, 100 parallel / 1", ratio(governedBy100, governed), "<= 1.2"),
      evaluate("OpenAI Agents invoke / governed", ratio(openai, governed), ">= 1.25"),
      evaluate("LangChain invoke / governed", ratio(langchain, governed), ">= 15"),
      evaluate("MCP in memory / governed", ratio(mcp, governed), ">= 15"),
      evaluate("Mastra execute / governed", ratio(mastra, governed), ">= 1"),
    ],
    figures: measured.map(toFigure),
  },
  options,
);

function ratio(numerator: ContenderSpec, denominator: ContenderSpec): number {
  return medianRatio(find(numerator).rounds, find(denominator).rounds);
}

function find(spec: ContenderSpec): Measured {
  const found = measured.find(({ name }) => name === spec.name);
  if (found === undefined) throw new Error(`${spec.name} was not measured`);
  return found;
}

function toFigure({ name, rounds, validates }: Measured): Figure {
  const allocated = bytes.get(name);
  return {
    name,
    "µs/call": rounded(median(rounds) / 1000),
    "x floor": rounded(medianRatio(rounds, find(floor).rounds)),
    "rejects bad arguments": validates ? "yes" : "no",
    ...(allocated === undefined ? {} : { "bytes/call": Math.round(allocated) }),
  };
}
