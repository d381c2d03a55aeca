import { spawn } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { ToolResult } from "@toolkeep/core";
import { openStore } from "../../packages/sqlite/src/store/open-store.ts";
import { type ModelServer, openModelServer } from "./model-server.ts";
import { FIXED, filesOf, makeSampleRepository } from "./sample-repository.ts";

/** What a campaign of kills came to. Lists name what went wrong. */
export interface KillRecord {
  /** Kills of a process that had something in flight. */
  kills: number;
  /** What was in flight: a step of the model, a call, a question to a person. */
  readonly inFlight: { model: number; call: number; person: number };
  /** Runs that were worked on until their end. */
  runs: number;
  /** Runs with the same files in the end that had no outcome in doubt. */
  plain: number;
  /** Runs in which the model found out by reading what came of a call. */
  resolved: number;
  /** Outcomes in doubt that are recorded. */
  unknown: number;
  /** Steps of the model that were asked for again after their reply was recorded. */
  readonly paidTwice: string[];
  /** Calls that may run once and ran again: more lines in a file than there should be. */
  readonly ranTwice: string[];
  /** Questions that were open when the process was killed, and not in the next one. */
  readonly lostRequests: string[];
  readonly otherFiles: string[];
}

export interface KillOptions {
  readonly kills: number;
  /** Every call may be run again, so that no intent is written down. */
  readonly isGateOff?: boolean;
}

const LONGEST_PAUSE_MS = 250;
const LONGEST_THOUGHT_MS = 60;
/** More lines than this a life seldom says. */
const MOST_LINES = 9;

/** Lets an agent work on the sample and kills its process, again and again, until there were so many kills. */
export async function killAgainAndAgain({ kills, isGateOff = false }: KillOptions): Promise<KillRecord> {
  const record: KillRecord = {
    ...{ kills: 0, runs: 0, plain: 0, resolved: 0, unknown: 0, inFlight: { model: 0, call: 0, person: 0 } },
    ...{ paidTwice: [], ranTwice: [], lostRequests: [], otherFiles: [] },
  };
  while (record.kills < kills) await oneRun(record, { kills, isGateOff });
  return record;
}

/** One run of the agent, through as many processes as it takes. */
async function oneRun(record: KillRecord, { kills, isGateOff }: Required<KillOptions>): Promise<void> {
  using base = mkdtempDisposableSync(join(tmpdir(), "agent-kills-"));
  await using server = await openModelServer({ delayMs: LONGEST_THOUGHT_MS });
  const root = makeSampleRepository(base.path);
  const input = { root, store: join(base.path, "store"), baseUrl: server.baseUrl, isGateOff };
  const before = { replies: new Set<number>(), open: [] as readonly string[] };
  for (;;) {
    const life = await liveAndDie(input, server, { mustFinish: record.kills >= kills });
    countLife(record, before, life);
    if (life.isFinished) break;
  }
  record.runs += 1;
  const unknown = await unknownIn(input.store);
  record.unknown += unknown;
  const files = filesOf(root);
  const again = Object.keys(FIXED).filter((name) => linesIn(files[name]) > linesIn(FIXED[name]));
  const isSame = JSON.stringify(files) === JSON.stringify(FIXED);
  if (again.length > 0)
    record.ranTwice.push(...again.map((name) => `${name}: ${JSON.stringify(files[name])}`));
  else if (!isSame) record.otherFiles.push(JSON.stringify(files));
  if (isSame && unknown === 0) record.plain += 1;
  if (isSame && unknown > 0) record.resolved += 1;
}

function linesIn(text = ""): number {
  return text.split("\n").length;
}

/** One process: what it said, and what the model was asked meanwhile. */
interface Life {
  readonly lines: readonly string[];
  readonly asked: readonly number[];
  readonly isFinished: boolean;
}

async function liveAndDie(
  input: object,
  server: ModelServer,
  { mustFinish }: { readonly mustFinish: boolean },
): Promise<Life> {
  const askedBefore = server.asked.length;
  const program = join(import.meta.dirname, "work-on-sample.ts");
  const argv = ["--conditions=@toolkeep/source", program, JSON.stringify(input)];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "toolkeep-agent-kills") };
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "pipe"], env });
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdin.on("error", () => {});
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const deadline = mustFinish ? Infinity : 1 + Math.floor(Math.random() * MOST_LINES);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    // A run that the store does not know yet has lost nothing but the prompt.
    if (lines.length === deadline)
      void pause(Math.random() * LONGEST_PAUSE_MS).then(() => child.kill("SIGKILL"));
    // Some questions stay open until the process is killed.
    if (line.startsWith("asked ") && lines.length < deadline) child.stdin.write("\n");
  }
  await exited;
  const isFinished = lines.some((line) => line.startsWith("end done"));
  if (!isFinished && child.signalCode !== "SIGKILL")
    throw new Error(`The agent ended by itself: ${lines.join("; ")} ${Buffer.concat(errors)}`);
  return { lines, asked: server.asked.slice(askedBefore), isFinished };
}

/** Compares a life with those before it. */
function countLife(
  record: KillRecord,
  before: { readonly replies: Set<number>; open: readonly string[] },
  { lines, asked, isFinished }: Life,
): void {
  record.paidTwice.push(...asked.filter((step) => before.replies.has(step)).map((step) => `step ${step}`));
  for (const step of said(lines, "reply")) before.replies.add(Number(step));
  const isUp = lines.some((line) => line.startsWith("model ") || line.startsWith("end "));
  if (isUp) {
    const open = new Set(said(lines, "open"));
    record.lostRequests.push(...before.open.filter((id) => !open.has(id)));
  }
  const answered = new Set(said(lines, "answered"));
  const waiting = [...said(lines, "asked"), ...said(lines, "open")].filter((id) => !answered.has(id));
  // A life that was killed before it looked says nothing about what is open.
  if (isUp) before.open = [...new Set(waiting)];
  if (isFinished) return;
  const results = new Set(said(lines, "result").map((rest) => rest.split(" ")[0]));
  const flying = {
    person: waiting.length > 0,
    call: said(lines, "call").some((id) => !results.has(id)),
    model: said(lines, "model").length > said(lines, "reply").length,
  };
  if (flying.person) record.inFlight.person += 1;
  else if (flying.call) record.inFlight.call += 1;
  else if (flying.model) record.inFlight.model += 1;
  else return;
  record.kills += 1;
}

function said(lines: readonly string[], word: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

async function unknownIn(path: string): Promise<number> {
  const store = openStore({ path });
  const events = await Array.fromAsync(store.events("fix"));
  await store.close();
  return events.filter(
    (event) =>
      event.type === "call-refuse" && (event.result.value as ToolResult).failure?.code === "outcome_unknown",
  ).length;
}
