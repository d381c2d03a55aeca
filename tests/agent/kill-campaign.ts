import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentOf } from "./fix-script.ts";
import { KilledLife, type KillPoint, type Kind } from "./killed-life.ts";
import { openModelServer } from "./model-server.ts";
import { FIXED, filesOf, makeSampleRepository, repeatedIn } from "./sample-repository.ts";
import { readState, type StoredState } from "./stored-state.ts";

/** What a campaign of kills came to. Lists name what went wrong. */
export interface KillRecord {
  /** Kills of a process that had something in flight. */
  kills: number;
  /** What was in flight: the person that was asked, or else a command, another call, a step of the model. */
  readonly inFlight: Record<Kind, number>;
  /** Kills while the subagent had something in flight. */
  inSubagent: number;
  /** Kills of a process that had nothing in flight: they do not count. */
  idle: number;
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
  /** Requests that were open when the process was killed, and not in the store. */
  readonly lostRequests: string[];
  /** Calls that failed otherwise than with an outcome that is not known. */
  readonly failed: string[];
  readonly otherFiles: string[];
}

interface KilledRunOptions {
  /** Where each of its processes is killed, in order. The one after them finishes the run. */
  readonly points: Iterable<KillPoint>;
  /** Every call may be run again, so that no intent is written down. */
  readonly isGateOff?: boolean;
}

export function emptyRecord(): KillRecord {
  return {
    ...{ kills: 0, inFlight: { model: 0, call: 0, command: 0, person: 0 }, inSubagent: 0, idle: 0 },
    ...{ runs: 0, plain: 0, resolved: 0, unknown: 0 },
    ...{ paidTwice: [], ranTwice: [], lostRequests: [], failed: [], otherFiles: [] },
  };
}

/** Lets an agent work on the sample through as many processes as it takes, and adds what came of it to the record. */
export async function killedRun(record: KillRecord, options: KilledRunOptions): Promise<void> {
  const { points, isGateOff = false } = options;
  using base = mkdtempDisposableSync(join(tmpdir(), "agent-kills-"));
  let life: KilledLife | undefined;
  await using server = await openModelServer({ think: async (asked) => life?.think(asked) });
  const root = makeSampleRepository(base.path);
  const input = { root, store: join(base.path, "store"), baseUrl: server.baseUrl, isGateOff };
  const remaining = points[Symbol.iterator]();
  let before: StoredState | undefined;
  const open = new Set<string>();
  let point: KillPoint | undefined;
  do {
    if (life?.isStillborn !== true) point = remaining.next().value;
    life = new KilledLife(input, point);
    await life.over;
    if (life.isStillborn) continue;
    const after = await readState(input.store);
    compare(record, life, { before, after, open });
    before = after;
  } while (!life.isFinished);
  if (before !== undefined) countEnd(record, filesOf(root), before);
}

interface LifeStates {
  readonly before: StoredState | undefined;
  readonly after: StoredState;
  /** The requests that a person has seen and not answered. */
  readonly open: Set<string>;
}

/** What a life did that it should not have, and what it was killed in. */
function compare(record: KillRecord, life: KilledLife, { before, after, open }: LifeStates): void {
  const asked = life.asked.map(({ prompt, step }) => `${agentOf(prompt)} ${step}`);
  record.paidTwice.push(...asked.filter((step) => before?.replies.has(step)));
  for (const line of life.lines) {
    const [word, , id = ""] = line.split(" ");
    if (word === "asked") open.add(id);
    if (word === "answered") open.delete(id);
  }
  record.lostRequests.push(...[...open].filter((id) => !after.waiting.has(id)));
  if (life.isFinished) return;
  const inFlight = life.inFlight(after);
  const [first] = inFlight;
  if (first === undefined) {
    record.idle += 1;
    return;
  }
  record.kills += 1;
  record.inFlight[first.kind] += 1;
  if (inFlight.some(({ agent }) => agent !== "root")) record.inSubagent += 1;
}

function countEnd(
  record: KillRecord,
  files: Readonly<Record<string, string>>,
  { unknown, failed }: StoredState,
): void {
  record.runs += 1;
  record.unknown += unknown;
  record.failed.push(...failed);
  const repeated = repeatedIn(files);
  const isSame = JSON.stringify(files) === JSON.stringify(FIXED);
  record.ranTwice.push(...repeated);
  if (repeated.length === 0 && !isSame) record.otherFiles.push(JSON.stringify(files));
  if (isSame && unknown === 0) record.plain += 1;
  if (isSame && unknown > 0) record.resolved += 1;
}
