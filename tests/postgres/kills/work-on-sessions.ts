import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createSession, type Session, ToolkeepError } from "@toolkeep/core";
import type { UnfinishedTurn } from "@toolkeep/core/journal";
import { openPostgresStore } from "@toolkeep/postgres";
import { markingTools } from "./marking-tools.ts";
import { KINDS, type Kind, markLine } from "./marks.ts";

/**
 * Works on many sessions until all of their turns are over, or the process is killed. Whatever a tool does leaves a
 * mark in a file.
 */
const { url, schema, secret, marks, life, sessions, turns, sweeps, isControl } = JSON.parse(
  process.argv[2] ?? "{}",
) as {
  readonly url: string;
  readonly schema: string;
  readonly secret: string;
  /** The file that tools leave their marks in. */
  readonly marks: string;
  readonly life: string;
  readonly sessions: readonly string[];
  readonly turns: number;
  /** Finish what others left, until the parent says that it is enough. */
  readonly sweeps: boolean;
  /** Does not wait for a database that is away: it gives the session up, opens it again and continues its turns. */
  readonly isControl: boolean;
};

const AT_ONCE = 40;
/** A little more than none: the store takes no less. */
const NO_PATIENCE_MS = 1;

const tools = markingTools(marks, life);
const options = { url, schema, keys: [{ id: "k", secret }], termMs: 30_000 };
const store = await openPostgresStore(isControl ? { ...options, patienceMs: NO_PATIENCE_MS } : options);
let isEnough = !sweeps;
process.stdin.once("data", () => {
  isEnough = true;
});
console.log("ready");
const queue = [...sessions];
await Promise.all([sweepUntilEnough(), ...Array.from({ length: AT_ONCE }, workThrough)]);
// The control leaves a database as it finds it.
await store.close().catch((error: unknown) => unlessControl(error));
process.exit(0);

async function workThrough(): Promise<void> {
  // Otherwise all calls would be at the same moment of their work when the process is killed.
  await pause(Math.random() * 700);
  for (let id = queue.shift(); id !== undefined; id = queue.shift())
    while (!(await isFinished(id))) await pause(100);
  if (queue.length === 0) console.log("worked");
}

async function isFinished(id: string): Promise<boolean> {
  try {
    await workOn(id);
    return true;
  } catch (error) {
    unlessControl(error);
    return false;
  }
}

function unlessControl(error: unknown): void {
  if (!isControl) throw error;
}

async function workOn(id: string): Promise<void> {
  await using session = await opened(id);
  const begun = new Set<string>();
  for await (const { turn } of store.events(id, { types: ["turn-start"] })) begun.add(turn);
  for (let n = 1; n <= turns; n += 1)
    await Promise.all(KINDS.map((kind) => workOnTurn(session, { kind, n, begun })));
}

async function workOnTurn(
  session: Session,
  { kind, n, begun }: { readonly kind: Kind; readonly n: number; readonly begun: ReadonlySet<string> },
): Promise<void> {
  const id = `${kind}-${n}`;
  if (begun.has(id)) await finish(session, id);
  else await session.run([{ id: kind, name: kind, arguments: { n } }], { id });
  appendFileSync(marks, markLine({ life, moment: "return", kind, key: `${session.id}/${id}/${kind}` }));
}

/** The one who swept it up lets it go soon. */
async function opened(id: string, unfinishedTurn?: string): Promise<Session> {
  for (;;) {
    try {
      return await createSession({ id, store, tools });
    } catch (error) {
      if (!ToolkeepError.isInstance(error) || error.code !== "session_in_use" || unfinishedTurn !== undefined)
        throw error;
      await pause(50);
    }
  }
}

async function finish(session: Session, turn: string): Promise<void> {
  try {
    await session.resume(turn);
  } catch (error) {
    if (!ToolkeepError.isInstance(error) || error.code !== "turn_unknown") throw error;
  }
}

async function sweepUntilEnough(): Promise<void> {
  while (!isEnough) {
    // A few at a time: most is left to the process that is killed next.
    const found = Map.groupBy(await store.unfinished(16), ({ sessionId }) => sessionId);
    await Promise.all([...found].map(([id, unfinished]) => sweep(id, unfinished)));
    await pause(100);
  }
}

async function sweep(id: string, unfinished: readonly UnfinishedTurn[]): Promise<void> {
  try {
    const session = await opened(id, unfinished[0]?.turn);
    await Promise.all(unfinished.map(({ turn }) => finish(session, turn)));
    await session.leave();
    for (const { turn } of unfinished) console.log(`finished ${id} ${turn}`);
  } catch (error) {
    // Another process was first.
    if (!ToolkeepError.isInstance(error) || error.code !== "session_in_use") throw error;
  }
}
