import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countInstalledPackages } from "./installed-packages.ts";
import { evaluate, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const core = "@toolkeep/core";
/** The cost of a program that opens a session: the runtime is loaded with the first one. */
const opened = `${core}, first session`;
/** Until its first call has a result. */
const called = `${core}, first session and first call`;
const subjects = ["", core, opened, called, "ajv", "zod"];
/** The same with Node's compile cache, as a program has it that runs for the second time. */
const cached = new Map([opened, called].map((specifier) => [`${specifier}, compile cache`, specifier]));
const peers = ["ai", "@openai/agents", "@langchain/core/tools", "@mastra/core/tools"];

const FIRST_CALL = new URL("./probes/first-call.js", import.meta.url).href;

const options = readOptions();
const rounds = options.quick ? 6 : 20;
const peerRounds = options.quick ? 3 : 20;

const cpu = new Map<string, number[]>();
for (const specifier of [...subjects, ...cached.keys(), ...peers]) cpu.set(specifier, []);
using cache = mkdtempDisposableSync(join(tmpdir(), "toolkeep-bench-"));
for (const specifier of cached.values()) importCpu(specifier, cache.path);
for (let round = 0; round < rounds; round += 1) {
  progress(`round ${round + 1} of ${rounds}`);
  for (const specifier of round < peerRounds ? [...subjects, ...peers] : subjects) {
    timesOf(specifier).push(importCpu(specifier));
  }
  for (const [name, specifier] of cached) timesOf(name).push(importCpu(specifier, cache.path));
}
progress("installing the packed core");
const packages = countInstalledPackages(new URL("../../packages/core", import.meta.url));

printReport(
  {
    name: "bench:import",
    goals: [
      evaluate("import core / node -e 0", medianRatio(timesOf(core), timesOf("")), "<= 1.5"),
      ...[...cached.keys()].map((name) =>
        evaluate(`${name} / node -e 0`, medianRatio(timesOf(name), timesOf("")), "<= 1.7"),
      ),
      evaluate("import ajv / import core", medianRatio(timesOf("ajv"), timesOf(core)), ">= 1"),
      evaluate("packages in core's installed tree", packages, "<= 10"),
    ],
    figures: [...cpu].map(([specifier, times]) => ({
      name: specifier === "" ? "node -e 0" : `import ${specifier}`,
      "CPU ms": rounded(median(times) / 1000),
      "x node -e 0": rounded(medianRatio(times, timesOf(""))),
      rounds: times.length,
    })),
  },
  options,
);

function timesOf(specifier: string): number[] {
  const times = cpu.get(specifier);
  if (times === undefined) throw new Error(`${specifier} is not measured`);
  return times;
}

function loading(specifier: string): string {
  if (specifier === opened)
    return `import(${JSON.stringify(core)}).then(({ createSession }) => createSession())`;
  if (specifier === called) return `import(${JSON.stringify(FIRST_CALL)})`;
  return `import(${JSON.stringify(specifier)})`;
}

/**
 * Microseconds of CPU, user and system on all threads, that a new process used until its exit. The process
 * reports it itself, which costs every subject the same.
 */
function importCpu(specifier: string, compileCache?: string): number {
  const report = `process.once("exit", () => {
    const { user, system } = process.cpuUsage();
    require("node:fs").writeSync(1, "\\n" + (user + system));
  });`;
  const load = specifier === "" ? "0" : loading(specifier);
  const output = execFileSync(process.execPath, ["-e", `${report} ${load}`], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    env: { ...process.env, ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }) },
  });
  return Number(output.slice(output.lastIndexOf("\n") + 1));
}
