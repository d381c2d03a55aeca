import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { type Figure, formatTable, type Goal, type Report } from "../benchmarks/src/report.ts";

const scripts = [
  ...[
    "bench:call",
    "bench:import",
    "bench:scale",
    "bench:policy",
    "bench:growth",
    "bench:host",
    "bench:hook",
  ],
  ...["bench:tools", "bench:tools-search", "bench:chat", "bench:mcp", "bench:loop", "bench:postgres"],
  "bench:contain",
  ...["day", "flows", "redaction"],
];

/** How much a value may move from one run to the next. */
const NOISE = 1.1;

const root = new URL("../", import.meta.url);
const page = new URL("docs/figures.md", root);
const { values: options, positionals: named } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});

const before = sectionsOf(existsSync(page) ? readFileSync(page, "utf8") : "");
const wanted = new Set(named.length === 0 ? scripts : named);
const sections = scripts.flatMap((name) => (wanted.has(name) ? measure(name) : (before.get(name) ?? [])));
const parts = [
  "# Figures",
  "Written by `npm run figures`, or for some benchmarks by `npm run figures -- bench:call bench:growth`. Values are measured; only the last section is written by hand.",
  "Contenders are measured interleaved in one run; a ratio is the median of the ratios of its rounds. Compare ratios, not absolute times: those move with the machine and its load. A quick run has few rounds.",
  formatTable(describeRun()),
  ...sections,
  readFileSync(new URL("benchmarks/limits.md", root), "utf8").trim(),
];
mkdirSync(new URL("docs/", root), { recursive: true });
writeFileSync(page, `${parts.join("\n\n")}\n`);

/** The sections of a page, by the benchmark that they are about. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [, ...found] = text.split(/^## /m);
  return new Map(found.map((section) => [section.slice(0, section.indexOf("\n")), `## ${section.trim()}`]));
}

function measure(name: string): string {
  const report = runScript(name);
  for (const line of worseThan(before.get(name) ?? "", report.goals)) console.error(`  worse: ${line}`);
  return formatReport(report);
}

function runScript(name: string): Report {
  console.error(name);
  const flags = options.quick ? ["--json", "--quick"] : ["--json"];
  const output = execFileSync("npm", ["run", "--silent", name, "--", ...flags], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "");
}

/** The goals whose values were better in an earlier section. */
function worseThan(section: string, goals: readonly Goal[]): readonly string[] {
  return goals.flatMap(({ name, value, goal }) => {
    const row = section.split("\n").find((line) => line.startsWith(`| ${name} `));
    const old = Number(row?.split("|")[2]);
    const isWorse = goal.startsWith("<=") ? value > old * NOISE : value < old / NOISE;
    return isWorse ? [`${name}: ${old} before, ${value} now`] : [];
  });
}

function formatReport({ name, goals, figures }: Report): string {
  const evaluated = goals.map(({ ok, ...goal }) => ({ ...goal, met: ok ? "yes" : "**no**" }));
  const date = new Date().toISOString().slice(0, 10);
  const load = loadavg().map((one) => one.toFixed(1));
  const how = `${date}${options.quick ? ", a quick run" : ""}; load average of 1, 5 and 15 minutes: ${load.join(", ")}.`;
  const tables = [evaluated, figures].filter((rows) => rows.length > 0).map(formatTable);
  return [`## ${name}`, how, ...tables].join("\n\n");
}

function describeRun(): readonly Figure[] {
  const [processor] = cpus();
  const facts: Record<string, string> = {
    node: process.versions.node,
    processor: `${cpus().length} x ${processor?.model ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${process.arch}`,
    ...readVersions(),
  };
  return Object.entries(facts).map(([name, value]) => ({ name, value }));
}

function readVersions(): Record<string, string> {
  const manifest = readFileSync(new URL("benchmarks/package.json", root), "utf8");
  return JSON.parse(manifest).dependencies;
}
