import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import {
  createSession,
  type Session,
  type ToolContext,
  type ToolResult,
  type TurnOutcome,
} from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/**
 * Works on one session until the process is killed: calls, batches, questions to a person. Whatever a
 * tool does leaves a mark in a file, and whatever comes back is said aloud.
 */
const { folder, marks, life, last } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  /** The file that tools leave their marks in. */
  readonly marks: string;
  readonly life: number;
  /** Finish what is left, do nothing new, and end. */
  readonly last?: boolean;
};

const TOOLS = ["once", "often", "asked", "announced", "recovered"] as const;
/** What a single call may be: none that waits for a person. */
const CALLED = TOOLS.filter((name) => name !== "asked");
const sessionId = "crash";
const store = openSqliteStore({ path: folder });

const tools = TOOLS.map((name) => {
  const work = async (_args: unknown, ctx: Pick<ToolContext, "idempotencyKey" | "acting">) => {
    await pause(Math.random() * 3);
    if (name === "announced") await ctx.acting();
    appendFileSync(marks, `${name} ${ctx.idempotencyKey}\n`);
    await pause(Math.random() * 3);
    return { key: ctx.idempotencyKey, text: "x".repeat(Math.random() * 2_000) };
  };
  return stubTool(name, work, {
    idempotent: name === "often",
    announces: name === "announced",
    ...(name === "recovered" ? { recover: fromMarks } : {}),
  }).tool;
});

// There before anybody looks for a mark.
appendFileSync(marks, "");

/** The mark of a call says whether it happened. */
function fromMarks(_args: unknown, { idempotencyKey: key }: Pick<ToolContext, "idempotencyKey">) {
  const happened = readFileSync(marks, "utf8").split("\n").includes(`recovered ${key}`);
  return happened ? ({ happened, value: { key } } as const) : ({ happened } as const);
}

const known = store.sessions().find((entry) => entry.sessionId === sessionId);
const session = await createSession({
  id: sessionId,
  store,
  tools,
  policy: [{ permission: "asked", action: "ask" }],
  approver: scriptedApprover("later"),
});
console.log("ready");

for (const turn of known?.unfinishedTurns ?? []) await finish(session, turn);
for (let n = 0; last !== true; n += 1) {
  const name = CALLED[Math.floor(Math.random() * CALLED.length)] as string;
  if (Math.random() < 0.3) {
    const result = await session.call({ id: "1", name, arguments: { n } }, { id: `call-${life}-${n}` });
    say(`call-${life}-${n}`, [result]);
  } else await batch(`batch-${life}-${n}`);
}
await session.close();
await store.close();
process.exit(0);

async function batch(turnId: string): Promise<void> {
  const calls = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, (_, index) => ({
    id: String(index),
    name: TOOLS[Math.floor(Math.random() * TOOLS.length)] as string,
    arguments: { index },
  }));
  const outcome = await session.run(calls, { id: turnId });
  sayOutcome(turnId, outcome);
  // Some answers come in this life, others in a later one.
  if (outcome.status === "waiting" && Math.random() < 0.7) await finish(session, turnId);
}

async function finish(open: Session, turnId: string): Promise<void> {
  for (const { id } of await open.waiting()) {
    if (id.startsWith(`${turnId}/`)) await open.answer(id, { verdict: "once" });
  }
  sayOutcome(turnId, await open.resume(turnId));
  // What was cut off before it could ask asks now.
  if ((await open.waiting()).some(({ id }) => id.startsWith(`${turnId}/`))) await finish(open, turnId);
}

function sayOutcome(turnId: string, { results }: TurnOutcome): void {
  say(
    turnId,
    results.flatMap((result) => result ?? []),
  );
}

function say(turnId: string, results: readonly ToolResult[]): void {
  for (const { callId, ok, failure } of results) {
    console.log(`settled ${turnId}/${callId} ${ok ? "ok" : (failure?.code ?? "failed")}`);
  }
}
