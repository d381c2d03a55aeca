import { randomBytes } from "node:crypto";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type Session } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import { openSqliteStore } from "@toolkeep/sqlite";
import { startPostgres } from "../../tests/postgres/postgres-server.ts";
import { BARE_KINDS, BareWrites } from "./postgres/bare-writes.ts";
import { governedRequest } from "./postgres/governed-request.ts";
import { answerAndResume, copyParked, park } from "./postgres/parked-sessions.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, medianRatio, rounded } from "./statistics.ts";

const options = readOptions();
const ROUNDS = options.quick ? 5 : 15;
const SESSIONS = 50;
const CALLS = options.quick ? 10 : 20;
const PARKED = 10_000;
const RESUMED = 15;
const REQUESTS = 5;

interface Took {
  readonly ms: number;
  readonly cpu: number;
}

await using server = await startPostgres({ fsync: true });
const keys = [{ id: "bench", secret: randomBytes(32) }];
await using store = await openPostgresStore({ url: server.url, keys });
const { writer } = store as unknown as { readonly writer: { readonly commits: number } };
const { tool } = stubTool("work", () => "done", { idempotent: false });
const newSession = (id: string) => createSession({ id, store, tools: [tool] });

progress("commits of one session");
const alone = await newSession("alone");
await alone.call({ id: "0", name: "work", arguments: {} });
await settled();
const before = writer.commits;
for (let n = 1; n <= 100; n += 1) await alone.call({ id: String(n), name: "work", arguments: { n } });
await settled();
const commitsPerCall = (writer.commits - before) / 100;
const written = (await Array.fromAsync(store.batches("alone"))).map(({ bytes }) => bytes.length);
await alone.leave();

progress(`${ROUNDS} rounds of ${SESSIONS} sessions with ${CALLS} calls`);
const size = Math.round(median(written));
await BareWrites.prepare(server.url, SESSIONS);
const contenders = await Promise.all(BARE_KINDS.map((kind) => BareWrites.open(server.url, size, kind)));
const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => newSession(`s${index}`)));
const [stored, bare]: [Took[], Took[][]] = [[], contenders.map(() => [])];
let row = 0;
const storedBefore = writer.commits;
for (let round = -2; round < ROUNDS; round += 1) {
  const ofStore = await timed(() => Promise.all(sessions.map(callAgainAndAgain)));
  const ofBare: Took[] = [];
  for (const contender of contenders) ofBare.push(await timed(() => writeAgainAndAgain(contender)));
  if (round < 0) continue;
  stored.push(ofStore);
  for (const [index, took] of ofBare.entries()) bare[index]?.push(took);
}
const rounds = ROUNDS + 2;
const commitsOfStore = (writer.commits - storedBefore) / rounds;
for (const session of sessions) await session.leave();
for (const contender of contenders) await contender.close();

progress(`${PARKED} parked requests`);
for (let n = 0; n < RESUMED; n += 1) await park(store, `parked-${n}`);
await copyParked(server.url, "toolkeep", "parked-0", PARKED - RESUMED);
const heapBefore = process.memoryUsage().heapUsed;
const listed: Took[] = [];
for (let n = 0; n < 9; n += 1)
  listed.push(
    await timed(async () => {
      const found = await store.waiting();
      if (found.length !== PARKED) throw new Error(`${found.length} requests wait`);
    }),
  );
const looked: Took[] = [];
for (let n = 0; n < 5; n += 1)
  looked.push(
    await timed(async () => JSON.stringify((await store.waiting()).map(({ request }) => request.id))),
  );
const resumed: Took[] = [];
for (let n = 0; n < RESUMED; n += 1) resumed.push(await timed(() => answerAndResume(store, `parked-${n}`)));

progress("requests through govern");
using folder = mkdtempDisposableSync(join(tmpdir(), "toolkeep-bench-postgres-"));
await using sqlite = openSqliteStore({ path: join(folder.path, "store") });
const [onPostgres, onSqlite]: [Took[], Took[]] = [[], []];
for (let round = -2; round < ROUNDS; round += 1) {
  const [one, other] = [await requests(store), await requests(sqlite)];
  if (round < 0) continue;
  onPostgres.push(one);
  onSqlite.push(other);
}

const milliseconds = (took: readonly Took[]) => took.map(({ ms }) => ms);
printReport(
  {
    name: "bench:postgres",
    goals: [
      evaluate(
        "50 sessions, x the same rows in the same transactions, bare",
        medianRatio(milliseconds(stored), milliseconds(bare[0] ?? [])),
        "<= 1.2",
      ),
      evaluate("commits for each once call", commitsPerCall, "<= 2"),
      evaluate("10,000 parked requests listed, ms", median(milliseconds(listed)), "<= 100"),
      evaluate("one answered and resumed, ms", median(milliseconds(resumed)), "<= 50"),
    ],
    figures: [
      {
        ...figure(`${SESSIONS} sessions, ${CALLS} once calls each`, stored),
        commits: rounded(commitsOfStore),
      },
      ...contenders.map(({ name, commits }, index) => ({
        ...figure(name, bare[index] ?? []),
        commits: rounded(commits / rounds),
        "store x": rounded(medianRatio(milliseconds(stored), milliseconds(bare[index] ?? []))),
      })),
      figure("a request through govern, PostgreSQL", onPostgres),
      figure("a request through govern, SQLite with durability full", onSqlite),
      figure(`${PARKED} parked requests listed`, listed),
      figure("the same, and each request looked at", looked),
      figure("one answered and resumed", resumed),
      { name: "heap before they were listed", MB: rounded(heapBefore / 1e6) },
      { name: "heap after that, with some resumed", MB: rounded(process.memoryUsage().heapUsed / 1e6) },
    ],
  },
  options,
);

/** The time on the clock, and the time of this process on a processor: a busy machine changes only the first. */
function figure(name: string, took: readonly Took[]): Figure {
  return {
    name,
    ms: rounded(median(milliseconds(took))),
    "cpu ms": rounded(median(took.map(({ cpu }) => cpu))),
  };
}

async function callAgainAndAgain(session: Session): Promise<void> {
  for (let n = 0; n < CALLS; n += 1) await session.call({ id: "1", name: "work", arguments: { n } });
}

async function writeAgainAndAgain(contender: BareWrites): Promise<void> {
  const first = row;
  row += 2 * CALLS;
  await Promise.all(
    sessions.map(async (_, index) => {
      for (let n = 0; n < 2 * CALLS; n += 1) await contender.write(index, first + n);
    }),
  );
}

async function requests(of: Parameters<typeof governedRequest>[0]): Promise<Took> {
  const { ms, cpu } = await timed(async () => {
    for (let n = 0; n < REQUESTS; n += 1) await governedRequest(of, "chat");
  });
  return { ms: ms / REQUESTS, cpu: cpu / REQUESTS };
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpu: (user + system) / 1000 };
}

/** What was appended without a flush is written by then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 300));
}
