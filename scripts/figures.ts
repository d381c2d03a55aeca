import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { type Figure, formatTable, type Report } from "../benchmarks/src/report.ts";

const scripts = [
  ...[
    "bench:call",
    "bench:import",
    "bench:scale",
    "bench:policy",
    "bench:growth",
    "bench:host",
    "bench:hook",
    "bench:tools",
    "bench:tools-search",
  ],
  "bench:mcp",
  "day",
];

const root = new URL("../", import.meta.url);
const quick = process.argv.includes("--quick");

const reports = scripts.map(runScript);
const page = [
  "# Figures",
  `Written by \`npm run figures${quick ? " -- --quick" : ""}\`: measured values and nothing else.`,
  ...(quick ? ["This was a quick run, with few rounds: rougher than a full one."] : []),
  "Contenders are measured interleaved in one run; a ratio is the median of the ratios of its rounds. Compare ratios, not absolute times: those move with the machine and its load.",
  formatTable(describeRun()),
  ...reports.flatMap(formatReport),
];
mkdirSync(new URL("docs/", root), { recursive: true });
writeFileSync(new URL("docs/figures.md", root), `${page.join("\n\n")}\n`);

function runScript(name: string): Report {
  console.error(name);
  const flags = quick ? ["--json", "--quick"] : ["--json"];
  const output = execFileSync("npm", ["run", "--silent", name, "--", ...flags], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "");
}

function formatReport({ name, goals, figures }: Report): readonly string[] {
  const evaluated = goals.map(({ ok, ...goal }) => ({ ...goal, met: ok ? "yes" : "**no**" }));
  return [`## ${name}`, formatTable(evaluated), formatTable(figures)];
}

function describeRun(): readonly Figure[] {
  const [processor] = cpus();
  const facts: Record<string, string> = {
    date: new Date().toISOString().slice(0, 10),
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
