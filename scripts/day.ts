/**
 * Plays recorded days through the real program, and counts what is allowed, asked, refused with a safe form, denied
 * and left to the client. `npm run day [-- --json] [--quick] [--only PART]`.
 */
import { parseArgs } from "node:util";
import { printReport, progress } from "../benchmarks/src/report.ts";
import { measureDangerous } from "../tests/day/dangerous/measure-dangerous.ts";
import { measureHooks } from "../tests/day/hook/measure-hook.ts";
import { joined, type Part } from "../tests/day/part.ts";
import { measureWorkspace } from "../tests/day/workspace/measure-workspace.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const PARTS: Readonly<Record<string, (options: { readonly quick: boolean }) => Promise<Part>>> = {
  hooks: measureHooks,
  dangerous: measureDangerous,
  workspace: measureWorkspace,
};

const played: Part[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (options.only !== undefined && options.only !== name) continue;
  const started = performance.now();
  played.push(await measure(options));
  progress(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
}
if (played.length === 0) throw new Error(`--only takes one of ${Object.keys(PARTS).join(", ")}.`);

const { goals, figures, voids, unasked } = joined(played);
for (const one of voids) progress(`VOID: ${one}`);
for (const one of unasked) progress(`UNASKED: ${one}`);
printReport({ name: "day", goals, figures }, options);
// Missed goals are figures; these two are errors.
if (voids.length > 0 || unasked.length > 0) process.exitCode = 1;
