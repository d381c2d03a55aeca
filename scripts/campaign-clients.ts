/**
 * Drives the real clients with Toolkeep installed, against a scripted model on loopback, in a jail.
 * `npm run campaign:clients [-- --json] [--quick] [--only CLIENT] [--mode MODE] [--record]`. The clients are installed
 * from the registry when they are not there, in one version each. A missed goal is a figure; a dangerous thing that ran
 * unasked, and a round that proves nothing, are errors. With `--record` a short conversation is recorded instead, for
 * the page of clients.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { printReport, progress } from "../benchmarks/src/report.ts";
import { installedProgram } from "../tests/day/clients/client-package.ts";
import { clientCalled, REAL_CLIENTS } from "../tests/day/clients/clients.ts";
import type { RealClient } from "../tests/day/clients/real-client.ts";
import type { RecordedConversation } from "../tests/day/clients/recorded-conversation.ts";
import { joined, type Part } from "../tests/day/part.ts";
import { JAIL_USER, runInJail, whyNoJail } from "../tests/jail/outer-jail.ts";
import { ROOT } from "./root.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    mode: { type: "string" },
    record: { type: "boolean", default: false },
  },
});

const LONGEST_MS = 60 * 60_000;
const reason = whyNoJail("user");
if (reason !== undefined) throw new Error(`Real clients are driven in a jail alone, and ${reason}.`);

const clients = options.only === undefined ? REAL_CLIENTS : [clientCalled(options.only)];
if (options.record) for (const client of clients) await record(client);
else await playAll();

async function playAll(): Promise<void> {
  const parts: Part[] = [];
  for (const client of clients) parts.push(await playClient(client));
  const { goals, figures, voids, unasked } = joined(parts);
  for (const one of voids) progress(`VOID: ${one}`);
  for (const one of unasked) progress(`UNASKED: ${one}`);
  if (voids.length > 0 || unasked.length > 0) process.exitCode = 1;
  printReport({ name: "campaign:clients", goals, figures }, options);
}

async function playClient(client: RealClient): Promise<Part> {
  const voided = (error: Error): Part => ({ goals: [], figures: [], voids: [error.message], unasked: [] });
  return inJail<Part>(client, options.quick ? "quick" : "whole").catch(voided);
}

/** Writes what `npm run clients-page -- --write` puts on the page of clients. */
async function record(client: RealClient): Promise<void> {
  const conversation = await inJail<RecordedConversation>(client, "record");
  const file = join(ROOT, "tests/day/clients/recorded", `${client.name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(conversation, undefined, 2)}\n`);
}

/** Drives a client in the jail. @throws if it is not there, or ends without a result. */
async function inJail<Result>(client: RealClient, what: "quick" | "whole" | "record"): Promise<Result> {
  const spec = `${client.package.name}@${client.package.version}`;
  progress(spec);
  const program = await installedProgram(client.package).catch((error: Error) => {
    throw new Error(`SKIPPED: ${spec}: ${error.message}`);
  });
  const { exitCode, stdout } = await runInJail({
    script: join(ROOT, "tests/day/clients/play-in-jail.ts"),
    args: [client.name, program, what, ...(options.mode === undefined ? [] : [options.mode])],
    as: "user",
    timeoutMs: LONGEST_MS,
    mounts: ["--perms", "0777", "--tmpfs", "/home/day", "--ro-bind", passwd(), "/etc/passwd"],
    onProgress: (text) => process.stderr.write(text),
  });
  if (exitCode !== 0) throw new Error(`${spec} ended with ${exitCode}`);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Result;
}

/** Clients look up who their user is. */
function passwd(): string {
  const file = join(ROOT, ".cache/clients/passwd");
  mkdirSync(join(ROOT, ".cache/clients"), { recursive: true });
  const line = `ada:x:${JAIL_USER}:${JAIL_USER}::/home/day:/bin/bash\n`;
  writeFileSync(file, readFileSync("/etc/passwd", "utf8") + line);
  return file;
}
