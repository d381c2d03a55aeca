import { createSession, defineTool, type SessionStore } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import { median } from "../statistics.ts";

/** What a session with many parked turns takes, in milliseconds; each the median of five. */
export interface ParkedFigures {
  readonly waiting: number;
  readonly answerAndResume: number;
}

const TRIALS = 5;

const write = defineTool({
  name: "write_note",
  description: "Writes a note.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { write: ["/data/**"] } },
  effects: (args) => [fsWrite(String(args.path))],
  mode: "safe_write",
  execute: async () => "written",
});

/** Parks so many turns, each with one request, and measures what a person who answers them waits for. */
export async function measureParked(turns: number, store: SessionStore): Promise<ParkedFigures> {
  const session = await createSession({
    tools: [write],
    policy: [{ permission: "fs.write", pattern: "/data/**", action: "ask" }],
    approver: async () => "later",
    store,
  });
  for (let turn = 0; turn < turns; turn += 1) {
    const call = { id: "c1", name: write.name, arguments: { path: `/data/note-${turn}` } };
    const outcome = await session.run([call]);
    if (outcome.status !== "waiting") throw new Error(`the turn ended as ${outcome.status}`);
  }
  const waiting: number[] = [];
  const answering: number[] = [];
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const start = performance.now();
    const requests = await session.waiting();
    waiting.push(performance.now() - start);
    const request = requests[Math.floor((requests.length * trial) / TRIALS)];
    if (request === undefined || requests.length !== turns - trial) throw new Error("requests are missing");
    const [turn = ""] = request.id.split("/");
    const answered = performance.now();
    await session.answer(request, { verdict: "once" });
    const outcome = await session.resume(turn);
    answering.push(performance.now() - answered);
    if (outcome.status !== "done") throw new Error("the answer did not continue the turn");
  }
  await session.close();
  return { waiting: median(waiting), answerAndResume: median(answering) };
}
