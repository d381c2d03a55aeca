/**
 * `npm run catalog:options [-- --json] [--quick] [--write] [PROGRAM …]`: compares entries of the catalogue with the
 * programs of this machine. `--quick` asks for few subcommands, `--write` writes `docs/catalog.md`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, formatTable, printReport, progress } from "../benchmarks/src/report.ts";
import { programNames } from "../packages/catalog/src/catalog.ts";
import { COMPARED_PROGRAMS } from "./catalog/compared-programs.ts";
import { type Coverage, coverageOf } from "./catalog/option-coverage.ts";
import { ROOT } from "./root.ts";

const { values: flags, positionals: named } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const MOST_COMMANDS = flags.quick ? 6 : 400;

const chosen = COMPARED_PROGRAMS.filter(({ name }) => named.length === 0 || named.includes(name));
const found = chosen.flatMap((program) => {
  progress(program.name);
  return coverageOf(program, MOST_COMMANDS) ?? [];
});
const figures = found.map(({ program, version, options, known, lacks }) => ({
  ...{ name: program, version, options, known, lacks: lacks.length },
  share: `${Math.round((100 * known) / Math.max(options, 1))} %`,
}));
const all = found.reduce((sum, { options }) => sum + options, 0);
const known = found.reduce((sum, one) => sum + one.known, 0);
const goals = [
  evaluate("programs that are compared", found.length, ">= 25"),
  evaluate("options that their entries know, in %", (100 * known) / Math.max(all, 1), ">= 80"),
];
printReport({ name: "catalog:options", goals, figures }, flags);
if (named.length > 0)
  for (const { program, lacks } of found) console.log(`${program} lacks:\n${lacks.join("\n")}`);
if (flags.write) writeFileSync(join(ROOT, "docs/catalog.md"), page(found));

function page(coverage: readonly Coverage[]): string {
  const parts = [
    "# The catalogue",
    "Written by `npm run catalog:options -- --write`.",
    `The catalogue describes ${programNames().length} programs as data: one file for each under \`packages/catalog/programs\`. [Its README](../packages/catalog/README.md) tells how an entry is written.`,
    "## Options that entries know",
    "Each entry is compared with the program itself: with the options that it lists when it is asked for help, by itself and for each subcommand of the entry. An option is known if the entry says what follows from it, harmless or not. A command with an option that the entry lacks is not known to be a read, so it asks. Options that run programs, read settings from elsewhere or contact other hosts are often left out for that reason.",
    formatTable(figures),
    "## Options that entries lack",
    ...coverage
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ program, lacks }) => `**${program}**: ${lacks.map((one) => `\`${one}\``).join(", ")}`),
  ];
  return `${parts.join("\n\n")}\n`;
}
