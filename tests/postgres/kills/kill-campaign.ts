import { randomBytes } from "node:crypto";
import { existsSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgresStore } from "@toolkeep/postgres";
import { type RunningProgram, runProgram } from "../../crash/run-program.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { newSchema } from "../test-schema.ts";

/** What a campaign does. */
interface CampaignOptions {
  readonly sessions: number;
  readonly turns: number;
  readonly kills: number;
  readonly killed: "process" | "database";
}

/** What a campaign of kills left behind. */
export interface CampaignRecord {
  /** How many calls of `risky` were in flight at each kill. */
  readonly inFlight: readonly number[];
  /** Calls that are not settled, or settled with success and without an effect. */
  readonly lost: readonly string[];
  /** Effects of `risky` that happened twice, and of `often`, which has no gate. */
  readonly twice: readonly string[];
  readonly controlTwice: readonly string[];
  /** Calls of `risky` whose outcome is not known. */
  readonly unknown: number;
  readonly broken: readonly string[];
  /** Unfinished turns, sessions in use, raw arguments and entries of inboxes. */
  readonly leftOver: number;
  /** Turns that another process finished. */
  readonly finishedElsewhere: number;
  readonly seconds: number;
}

const MIN_IN_FLIGHT = 8;

/** Lets two processes work, kills one of them or the database again and again, and looks at what is there afterwards. */
export async function killAgainAndAgain(
  server: PostgresServer,
  { sessions, turns, kills, killed }: CampaignOptions,
): Promise<CampaignRecord> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-kills-"));
  const begun = Date.now();
  const marks = join(folder.path, "marks");
  const schema = newSchema();
  const secret = randomBytes(32).toString("base64");
  const store = await openPostgresStore({ url: server.url, schema, keys: [{ id: "k", secret }] });
  const names = Array.from({ length: sessions }, (_, index) => `s${index}`);
  const start = (life: string, own: readonly string[], sweeps: boolean) =>
    runProgram("../postgres/kills/work-on-sessions.ts", {
      ...{ url: server.url, schema, secret, marks, life, sessions: own, turns, sweeps, termMs: 30_000 },
    });
  // The one that is killed has most of the work, so that there is something to kill until the end.
  const own = names.filter((_, index) => index % 4 !== 0);
  const survivor = start(
    "survivor",
    names.filter((name) => !own.includes(name)),
    true,
  );
  let worker = start("life-0", own, false);
  const inFlight: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await untilInFlight(marks, `life-${killed === "process" ? kill : 0} `, worker);
    if (killed === "database") {
      await server.kill();
      inFlight.push(inFlightOf(marks, "").length);
      await server.start();
      continue;
    }
    worker.kill();
    await worker.ended;
    inFlight.push(inFlightOf(marks, `life-${kill} `).length);
    worker = start(`life-${kill + 1}`, own, false);
  }
  await succeeded(worker);
  // What the killed one had begun in sessions of its own is finished by the one that comes first.
  survivor.tell("enough");
  await succeeded(survivor);
  const finishedElsewhere = survivor.lines.filter((line) => line.startsWith("finished ")).length;
  const found = await inspect(store, names, turns, linesOf(marks));
  await store.close();
  return { inFlight, ...found, finishedElsewhere, seconds: (Date.now() - begun) / 1000 };
}

async function inspect(
  store: Awaited<ReturnType<typeof openPostgresStore>>,
  names: readonly string[],
  turns: number,
  marks: readonly string[],
): Promise<Omit<CampaignRecord, "inFlight" | "finishedElsewhere" | "seconds">> {
  const effects = marks.flatMap((line) =>
    line.split(" ")[1] === "effect" ? [line.split(" ")[3] ?? ""] : [],
  );
  const happened = new Set(effects);
  const twice = effects.filter((key, index) => effects.indexOf(key) !== index);
  const [lost, broken] = [[] as string[], [] as string[]];
  let unknown = 0;
  for (const name of names) {
    const verdict = await store.verify(name);
    if (!verdict.intact) broken.push(`${name}: ${verdict.diagnostic}`);
    const settled = new Map<string, boolean>();
    for await (const event of store.events(name, { types: ["call-end", "call-refuse"] })) {
      if (event.type !== "call-end" && event.type !== "call-refuse") continue;
      const key = `${name}/${event.turn}/${event.callId}`;
      settled.set(key, event.type === "call-end" && event.ok);
      if (JSON.stringify(event).includes("outcome_unknown")) unknown += 1;
    }
    for (let n = 1; n <= turns; n += 1)
      for (const call of ["risky", "often"]) {
        const key = `${name}/turn-${n}/${call}`;
        const isOk = settled.get(key);
        if (isOk === undefined || (isOk && !happened.has(key))) lost.push(key);
      }
  }
  const { sessionsInUse, unfinishedTurns, pendingArguments, untaken } = await store.status();
  const pending = Object.values(pendingArguments).reduce((sum, one) => sum + one, 0);
  return {
    ...{ lost, broken, unknown, leftOver: sessionsInUse + unfinishedTurns + pending + untaken },
    twice: twice.filter((key) => key.endsWith("/risky")),
    controlTwice: twice.filter((key) => key.endsWith("/often")),
  };
}

async function untilInFlight(marks: string, life: string, worker: RunningProgram): Promise<void> {
  let hasEnded = false;
  void worker.ended.then(() => {
    hasEnded = true;
  });
  for (let times = 0; times < 2; ) {
    if (hasEnded) throw new Error(`${life} ended before there was enough in flight`);
    times = inFlightOf(marks, life).length < MIN_IN_FLIGHT ? 0 : times + 1;
    // Twice in a row: when the first calls have just begun, others are about to.
    await pause(times === 1 ? 50 + Math.random() * 50 : 10);
  }
}

/** The calls of `risky` that began and have not ended, in a life or in all. */
function inFlightOf(marks: string, life: string): readonly string[] {
  const running = new Set<string>();
  for (const line of linesOf(marks)) {
    if (!line.startsWith(life) || !line.endsWith("/risky")) continue;
    const [, what, , key = ""] = line.split(" ");
    if (what === "begin") running.add(key);
    else if (what === "end") running.delete(key);
  }
  return [...running];
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

async function succeeded(program: RunningProgram): Promise<void> {
  const { code, errors } = await program.ended;
  if (code !== 0) throw new Error(`a worker ended with ${code}: ${errors}`);
}
