import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createSession, type Session, ToolkeepError } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";

/**
 * Works on many sessions until all of their turns are over, or the process is killed. Whatever a tool does leaves a
 * mark in a file. `risky` runs behind the gate; `often` does the same without it, and shows what the gate prevents.
 */
const { url, schema, secret, marks, life, sessions, turns, sweeps, termMs } = JSON.parse(
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
  readonly termMs: number;
};

const AT_ONCE = 24;

const tools = ["risky", "often"].map((name) => {
  const work = async (_args: unknown, ctx: { readonly idempotencyKey: string }) => {
    const mark = (what: string) => appendFileSync(marks, `${life} ${what} ${name} ${ctx.idempotencyKey}\n`);
    mark("begin");
    await pause(200 + Math.random() * 200);
    mark("effect");
    await pause(200 + Math.random() * 200);
    mark("end");
    return { done: true };
  };
  return stubTool(name, work, { idempotent: name === "often" }).tool;
});

const store = await openPostgresStore({ url, schema, keys: [{ id: "k", secret }], termMs });
let isEnough = !sweeps;
process.stdin.once("data", () => {
  isEnough = true;
});
console.log("ready");
const queue = [...sessions];
await Promise.all([sweepUntilEnough(), ...Array.from({ length: AT_ONCE }, workThrough)]);
await store.close();
process.exit(0);

async function workThrough(): Promise<void> {
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    await using session = await opened(id);
    const begun = new Set<string>();
    for await (const { turn } of store.events(id, { types: ["turn-start"] })) begun.add(turn);
    for (let n = 1; n <= turns; n += 1) {
      const turn = `turn-${n}`;
      if (begun.has(turn)) await finish(session, turn);
      else await session.run(callsOf(n), { id: turn });
    }
  }
  if (queue.length === 0) console.log("worked");
}

function callsOf(n: number) {
  return ["risky", "often"].map((name) => ({ id: name, name, arguments: { n } }));
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
    for (const { sessionId, turn } of await store.unfinished(50)) {
      try {
        const session = await opened(sessionId, turn);
        await finish(session, turn);
        await session.leave();
        console.log(`finished ${sessionId} ${turn}`);
      } catch (error) {
        // Another process was first.
        if (!ToolkeepError.isInstance(error) || error.code !== "session_in_use") throw error;
      }
    }
    await pause(100);
  }
}
