import { randomBytes } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgresStore } from "@toolkeep/postgres";
import { type RunningProgram, runProgram } from "../../crash/run-program.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { newSchema } from "../test-schema.ts";
import { inspectSessions, type SessionsRecord } from "./inspect-sessions.ts";
import { type Counts, inFlight, KINDS } from "./marks.ts";

/** What a campaign does. */
interface CampaignOptions {
  readonly sessions: number;
  readonly turns: number;
  readonly kills: number;
}

/** What a campaign of kills left behind. */
export interface CampaignRecord extends SessionsRecord {
  /** How many calls of each kind were in flight at each kill. */
  readonly inFlight: readonly Counts[];
  readonly seconds: number;
}

/** The calls of each kind that are in flight when something is killed, at least. */
export const MIN_IN_FLIGHT = 8;
/** Some end before the kill comes. */
const ENOUGH_IN_FLIGHT = 12;

/** Sessions that programs work on, with a schema and a file of marks of their own. */
class Work implements Disposable {
  readonly #url: string;
  readonly #turns: number;
  readonly #folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-kills-"));
  readonly #schema = newSchema();
  readonly #secret = randomBytes(32).toString("base64");

  constructor({ url }: PostgresServer, turns: number) {
    this.#url = url;
    this.#turns = turns;
  }

  get marks(): string {
    return join(this.#folder.path, "marks");
  }

  start(life: string, sessions: readonly string[], more: { sweeps?: boolean; isControl?: boolean } = {}) {
    return runProgram("../postgres/kills/work-on-sessions.ts", {
      ...{ url: this.#url, schema: this.#schema, secret: this.#secret },
      ...{ marks: this.marks, turns: this.#turns, life, sessions, sweeps: false, isControl: false },
      ...more,
    });
  }

  /** Waits until enough is in flight in a life, and a little longer. */
  async untilInFlight(life: string, worker: RunningProgram): Promise<void> {
    let hasEnded = false;
    void worker.ended.then(() => {
      hasEnded = true;
    });
    for (let times = 0; ; ) {
      if (hasEnded) throw new Error(`${life} ended before there was enough in flight`);
      const counts = this.inFlight((one) => one === life);
      times = KINDS.every((kind) => counts[kind] >= ENOUGH_IN_FLIGHT) ? times + 1 : 0;
      // Twice in a row: when the first calls have just begun, others are about to.
      if (times === 2) return;
      await pause(times === 1 ? 100 + Math.random() * 500 : 20);
    }
  }

  inFlight(isMeant: (life: string) => boolean): Counts {
    return inFlight(this.marks, isMeant);
  }

  async inspect(names: readonly string[]): Promise<SessionsRecord> {
    const keys = [{ id: "k", secret: this.#secret }];
    await using store = await openPostgresStore({ url: this.#url, schema: this.#schema, keys });
    return await inspectSessions(store, { names, turns: this.#turns, path: this.marks });
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** The one that is killed has most of the work, so that there is something to kill until the end. */
function shared(sessions: number) {
  const names = Array.from({ length: sessions }, (_, index) => `s${index}`);
  const isOwn = (name: string) => names.indexOf(name) % 4 !== 0;
  return { names, own: names.filter(isOwn), others: names.filter((name) => !isOwn(name)) };
}

/** Lets two processes work, and kills one of them again and again. */
export async function killProcesses(
  server: PostgresServer,
  { sessions, turns, kills }: CampaignOptions,
): Promise<CampaignRecord & { readonly finishedElsewhere: number }> {
  const begun = Date.now();
  using work = new Work(server, turns);
  const { names, own, others } = shared(sessions);
  const survivor = work.start("survivor", others, { sweeps: true });
  let worker = work.start("life-0", own);
  const counts: Counts[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const life = `life-${kill}`;
    await work.untilInFlight(life, worker);
    worker.kill();
    await worker.ended;
    counts.push(work.inFlight((one) => one === life));
    worker = work.start(`life-${kill + 1}`, own);
  }
  await succeeded(worker);
  // What the killed one had begun in sessions of its own is finished by the one that comes first.
  survivor.tell("enough");
  await succeeded(survivor);
  const finishedElsewhere = survivor.lines.filter((line) => line.startsWith("finished ")).length;
  const found = await work.inspect(names);
  return { ...found, inFlight: counts, finishedElsewhere, seconds: (Date.now() - begun) / 1000 };
}

/**
 * Lets three processes work, and kills the database again and again. One of them is the control: it does not wait for
 * the database and does not find out what became of its last commit. It opens its sessions again, and continues.
 */
export async function killDatabase(
  server: PostgresServer,
  { sessions, turns, kills }: CampaignOptions,
): Promise<CampaignRecord & { readonly control: SessionsRecord }> {
  const begun = Date.now();
  using work = new Work(server, turns);
  using controlled = new Work(server, turns);
  const { names, own, others } = shared(sessions);
  const worker = work.start("worker", own);
  const other = work.start("other", others);
  const control = controlled.start("control", others, { isControl: true });
  const counts: Counts[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await work.untilInFlight("worker", worker);
    if (kill === 0) await controlled.untilInFlight("control", control);
    await server.kill();
    counts.push(work.inFlight(() => true));
    // Away for longer than a call takes: the control notices it in every session.
    if (kill === 0) await pause(800);
    await server.start();
  }
  for (const program of [worker, other, control]) await succeeded(program);
  return {
    ...(await work.inspect(names)),
    control: await controlled.inspect(others),
    ...{ inFlight: counts, seconds: (Date.now() - begun) / 1000 },
  };
}

async function succeeded(program: RunningProgram): Promise<void> {
  const { code, errors } = await program.ended;
  if (code !== 0) throw new Error(`a worker ended with ${code}: ${errors}`);
}
