import { fork } from "node:child_process";
import { once } from "node:events";
import { argumentTexts, findText } from "./find-text-tool.ts";
import { assertOk, governedSession, governedTool } from "./governed-session.ts";
import { measureInterleaved } from "./harness.ts";
import type { LargeOutput } from "./probes/large-output.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const calls = options.quick ? 100_000 : 1_000_000;
const callsInWords = calls.toLocaleString("en");
const outputMegabytes = options.quick ? 100 : 1_000;
const governed = new URL("./contenders/governed.ts", import.meta.url);
const aging = new URL("./contenders/governed-aging.ts", import.meta.url);

const [few, many, fresh, aged] = await measureInterleaved(
  [
    { name: "10 tools", file: governed, args: ["9"] },
    { name: "100,000 tools", file: governed, args: ["99999"] },
    { name: "a session's first calls", file: aging, args: ["0"] },
    { name: `a session after ${callsInWords} calls`, file: aging, args: [String(calls)] },
  ],
  {
    rounds: options.quick ? 21 : 61,
    sampleMilliseconds: 12,
    warmMilliseconds: options.quick ? 400 : 600,
  },
);
if (!few || !many || !fresh || !aged) throw new Error("a contender was not measured");
const { grownMegabytes = Number.NaN } = aged.facts;
const batchMilliseconds = await measureBatch(1_000);
const large = await pourOutput(outputMegabytes);

printReport(
  {
    name: "bench:scale",
    goals: [
      evaluate("call with 100,000 tools / 10 tools", medianRatio(many.rounds, few.rounds), "<= 1.3"),
      evaluate(
        `call after ${callsInWords} calls / first calls`,
        medianRatio(aged.rounds, fresh.rounds),
        "<= 1.3",
      ),
      evaluate(`heap growth over ${callsInWords} calls, MB`, grownMegabytes, "<= 32"),
      evaluate(`peak memory growth, ${outputMegabytes} MB output, MB`, large.grownMegabytes, "<= 200"),
    ],
    figures: [
      ...[few, many, fresh, aged].map(
        ({ name, rounds }): Figure => ({
          name: `call, ${name}`,
          value: rounded(median(rounds) / 1000),
          unit: "µs",
        }),
      ),
      { name: "one batch of 1,000 calls", value: rounded(batchMilliseconds), unit: "ms" },
      { name: `${outputMegabytes} MB of tool output`, value: rounded(large.seconds), unit: "s" },
    ],
  },
  options,
);

/** The median time of a batch. Throws if it does not answer every call in order. */
async function measureBatch(size: number): Promise<number> {
  progress(`batches of ${size} calls`);
  const session = await governedSession([governedTool(findText.name)]);
  const times: number[] = [];
  for (let trial = 0; trial < 9; trial += 1) {
    const batch = Array.from({ length: size }, (_, index) => ({
      id: `b${trial}-${index}`,
      name: findText.name,
      arguments: argumentTexts[index % argumentTexts.length] ?? "",
    }));
    const start = performance.now();
    const outcome = await session.run(batch);
    times.push(performance.now() - start);
    if (outcome.status !== "done") throw new Error(`the batch ended as ${outcome.status}`);
    const answered = outcome.results.map((result) => assertOk(result).callId);
    if (batch.some(({ id }, index) => answered[index] !== id)) throw new Error("a call has no result");
  }
  await session.close();
  return median(times);
}

async function pourOutput(megabytes: number): Promise<LargeOutput> {
  progress(`${megabytes} MB of output`);
  const probe = fork(new URL("./probes/large-output.ts", import.meta.url), [String(megabytes * 1e6)], {
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const [message] = await Promise.race([
    once(probe, "message"),
    once(probe, "exit").then(([code]): never => {
      throw new Error(`the probe exited with ${code}`);
    }),
  ]);
  return message;
}
