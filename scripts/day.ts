/**
 * Plays recorded days through the real program, and counts what is allowed, asked, refused with a safe form, denied
 * and left to the client. `npm run day [-- --json] [--quick] [--only PART [--steps FILE]]`. A missed goal is a figure; a dangerous
 * thing that passes unasked, and a part that proves nothing, are errors. `--record` records what the unseen days do.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printReport, progress, type Report } from "../benchmarks/src/report.ts";
import { bundledProgram } from "../tests/cli/bundled-program.ts";
import { measureDangerous } from "../tests/day/dangerous/measure-dangerous.ts";
import { measureConfined } from "../tests/day/hook/measure-confined.ts";
import { measureHooks } from "../tests/day/hook/measure-hook.ts";
import type { Part } from "../tests/day/part.ts";
import { measureUnseen } from "../tests/day/unseen/measure-unseen.ts";
import { recordFacts } from "../tests/day/unseen/record-facts.ts";
import { measureWorkspace } from "../tests/day/workspace/measure-workspace.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    steps: { type: "string" },
    record: { type: "boolean", default: false },
  },
});

const PARTS: Readonly<Record<string, (options: { readonly quick: boolean }) => Promise<Part>>> = {
  hooks: measureHooks,
  dangerous: measureDangerous,
  workspace: measureWorkspace,
  confined: measureConfined,
  unseen: measureUnseen,
};

/** A quick run plays two columns of parts at once, which take about as long as each other. */
const COLUMNS = options.quick
  ? [
      ["dangerous", "confined"],
      ["workspace", "hooks", "unseen"],
    ]
  : [Object.keys(PARTS)];

if (options.record) await recordFacts();
else printReport(options.only === undefined ? await playAll() : await playPart(options.only), options);

async function playPart(name: string): Promise<Report> {
  const measure = PARTS[name];
  if (measure === undefined) throw new Error(`--only takes one of ${Object.keys(PARTS).join(", ")}.`);
  const started = performance.now();
  const { goals, figures, voids, unasked, steps } = await measure(options);
  if (options.steps !== undefined && steps !== undefined)
    writeFileSync(options.steps, steps.map((step) => `${JSON.stringify(step)}\n`).join(""));
  for (const one of voids) progress(`VOID: ${one}`);
  for (const one of unasked) progress(`UNASKED: ${one}`);
  if (voids.length > 0 || unasked.length > 0) process.exitCode = 1;
  progress(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  return { name: "day", goals, figures };
}

/** Each part in a process of its own: they set the environment of theirs. */
async function playAll(): Promise<Report> {
  await bundledProgram();
  const reports = new Map<string, Report>();
  const play = async (names: readonly string[]) => {
    for (const name of names) reports.set(name, await playApart(name));
  };
  await Promise.all(COLUMNS.map(play));
  const all = Object.keys(PARTS).flatMap((name) => reports.get(name) ?? []);
  return {
    name: "day",
    goals: all.flatMap(({ goals }) => goals),
    figures: all.flatMap(({ figures }) => figures),
  };
}

function playApart(name: string): Promise<Report> {
  const flags = ["--json", "--only", name, ...(options.quick ? ["--quick"] : [])];
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code !== 0) process.exitCode = 1;
      const last = output.trimEnd().split("\n").at(-1) ?? "";
      if (last.startsWith("{")) resolve(JSON.parse(last) as Report);
      else reject(new Error(`The part ${name} ended with ${code} and without a report.`));
    });
  });
}
