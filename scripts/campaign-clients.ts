/**
 * Drives the real clients with Toolkeep installed, against a scripted model on loopback, in a jail.
 * `npm run campaign:clients [-- --json] [--quick] [--only CLIENT] [--mode MODE]`. The clients are installed from the
 * registry when they are not there, in one version each. A missed goal is a figure; a dangerous thing that ran unasked,
 * and a round that proves nothing, are errors.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printReport, progress } from "../benchmarks/src/report.ts";
import { installedProgram } from "../tests/day/clients/client-package.ts";
import { clientCalled, REAL_CLIENTS } from "../tests/day/clients/clients.ts";
import type { RealClient } from "../tests/day/clients/real-client.ts";
import { joined, type Part } from "../tests/day/part.ts";
import { JAIL_USER, runInJail, whyNoJail } from "../tests/jail/outer-jail.ts";
import { ROOT } from "./root.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    mode: { type: "string" },
  },
});

const LONGEST_MS = 60 * 60_000;
const reason = whyNoJail("user");
if (reason !== undefined) throw new Error(`Real clients are driven in a jail alone, and ${reason}.`);

const clients = options.only === undefined ? REAL_CLIENTS : [clientCalled(options.only)];
const parts: Part[] = [];
for (const client of clients) parts.push(await playClient(client));
const { goals, figures, voids, unasked } = joined(parts);
for (const one of voids) progress(`VOID: ${one}`);
for (const one of unasked) progress(`UNASKED: ${one}`);
if (voids.length > 0 || unasked.length > 0) process.exitCode = 1;
printReport({ name: "campaign:clients", goals, figures }, options);

async function playClient(client: RealClient): Promise<Part> {
  const spec = `${client.package.name}@${client.package.version}`;
  progress(spec);
  const program = await installedProgram(client.package).catch((error: Error) => error);
  if (program instanceof Error) return nothing(`SKIPPED: ${spec}: ${program.message}`);
  const { exitCode, stdout } = await runInJail({
    script: join(ROOT, "tests/day/clients/play-in-jail.ts"),
    args: [
      client.name,
      program,
      options.quick ? "quick" : "whole",
      ...(options.mode === undefined ? [] : [options.mode]),
    ],
    as: "user",
    timeoutMs: LONGEST_MS,
    mounts: ["--perms", "0777", "--tmpfs", "/home/day", "--ro-bind", passwd(), "/etc/passwd"],
    onProgress: (text) => process.stderr.write(text),
  });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  return exitCode === 0 ? (JSON.parse(last) as Part) : nothing(`${spec} ended with ${exitCode}`);
}

function nothing(reason: string): Part {
  return { goals: [], figures: [], voids: [reason], unasked: [] };
}

/** Clients look up who their user is. */
function passwd(): string {
  const file = join(ROOT, ".cache/clients/passwd");
  mkdirSync(join(ROOT, ".cache/clients"), { recursive: true });
  const line = `ada:x:${JAIL_USER}:${JAIL_USER}::/home/day:/bin/bash\n`;
  writeFileSync(file, readFileSync("/etc/passwd", "utf8") + line);
  return file;
}
