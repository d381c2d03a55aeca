/**
 * Plays harmless conversations and ways for data to leave, and counts what is asked about.
 * `npm run flows [-- --json] [--quick]`. A way that passes unasked, and a control that proves nothing, are errors.
 */
import { printReport, progress, readOptions } from "../benchmarks/src/report.ts";
import { measureFlows } from "../tests/flows/measure-flows.ts";

const options = readOptions();
const { goals, figures, voids, unasked } = await measureFlows();
for (const one of voids) progress(`VOID: ${one}`);
for (const one of unasked) progress(`UNASKED: ${one}`);
if (voids.length > 0 || unasked.length > 0) process.exitCode = 1;
printReport({ name: "flows", goals, figures }, options);
