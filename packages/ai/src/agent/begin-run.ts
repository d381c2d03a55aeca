import type { SessionRecord } from "@toolkeep/core/internal";
import { KeptValues } from "./record/kept-values.ts";
import { newRun, type RecordedRun } from "./record/recorded-runs.ts";

interface NewRun {
  readonly number: number;
  /** Its first step. */
  readonly step: number;
  /** What the user wants of it. */
  readonly prompt: string;
}

/**
 * Records that a run begins. Its prompt is kept raw before, and recorded in the same append: who finds the run finds
 * what it was asked, also if the process is killed here.
 */
export async function beginRun(
  { number, step, prompt }: NewRun,
  sessionId: string,
  record: SessionRecord,
): Promise<RecordedRun> {
  const run = newRun(number, { step, prompt });
  await new KeptValues(sessionId, run.id, record.pending).keepMessage(0, prompt);
  record.write(run.id, { type: "turn-start", calls: [], isRun: true });
  record.write(run.id, { type: "message-receive", step, text: prompt });
  await record.flush();
  return run;
}
