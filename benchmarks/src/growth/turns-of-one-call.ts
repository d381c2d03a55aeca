import type { Session, SessionStore } from "@toolkeep/core";
import { createSession } from "@toolkeep/core";
import { argumentTexts, findText } from "../find-text-tool.ts";
import { assertOk, governedTool } from "../governed-session.ts";
import { median, medianRatio } from "../statistics.ts";

/** Microseconds of one call by `session.call` and by `session.run`, and their ratio. */
export interface TurnFigures {
  readonly call: number;
  readonly run: number;
  readonly ratio: number;
}

const CALLS = 20;

/** Measures a call as a turn of its own against the same call alone, one after the other, on a store. */
export async function measureTurns(store: SessionStore, rounds: number): Promise<TurnFigures> {
  const session = await createSession({
    tools: [governedTool(findText.name)],
    policy: [{ permission: "fs.read", pattern: "/data/**", action: "allow" }],
    store,
  });
  const call: number[] = [];
  const run: number[] = [];
  for (let round = -10; round < rounds; round += 1) {
    const alone = await timed(() => callOnce(session, round));
    const inTurn = await timed(() => runOnce(session, round));
    if (round < 0) continue;
    call.push(alone);
    run.push(inTurn);
  }
  await session.close();
  return { call: median(call), run: median(run), ratio: medianRatio(run, call) };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < CALLS; index += 1) await run();
  return ((performance.now() - start) * 1000) / CALLS;
}

function nextCall(round: number) {
  const text = argumentTexts[Math.abs(round) % argumentTexts.length] ?? "";
  return { id: "c1", name: findText.name, arguments: text };
}

async function callOnce(session: Session, round: number): Promise<void> {
  assertOk(await session.call(nextCall(round)));
}

async function runOnce(session: Session, round: number): Promise<void> {
  const { results } = await session.run([nextCall(round)]);
  for (const result of results) if (result !== undefined) assertOk(result);
}
