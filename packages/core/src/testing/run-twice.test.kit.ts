import type { JournalEvent } from "../contract/store/event.ts";
import { type MemoryJournal, memoryJournal } from "../journal/memory-journal.ts";
import { recordedSteps } from "../replay/replay-journal.ts";
import { createSession } from "../session/create-session.ts";
import type { SessionOptions } from "../session/options.ts";
import type { Session } from "../session/session.ts";

/** The results of two runs. */
export interface TwiceRun<Outcome> {
  readonly outcome: Outcome;
  /** What the first run wrote. */
  readonly events: readonly JournalEvent[];
  readonly journal: MemoryJournal;
  /** What came of the same run when every step was answered from the record. */
  readonly replayed: Outcome;
}

/**
 * Runs a scenario for real, then once more from its recorded journal, where no tool executes,
 * no approver is asked and no hook is called. A pipeline that depends on anything but its steps gives
 * itself away by a different outcome.
 */
export async function runTwice<Outcome>(
  options: SessionOptions,
  scenario: (session: Session) => Promise<Outcome>,
): Promise<TwiceRun<Outcome>> {
  const journal = memoryJournal();
  const session = await createSession({ ...options, journal });
  const outcome = await scenario(session);
  await session.close();
  const { approver: _approver, gates: _gates, observers: _observers, ...rest } = options;
  const again = await createSession({
    ...rest,
    journal: memoryJournal(),
    steps: await recordedSteps(journal),
  });
  const replayed = await scenario(again);
  await again.close();
  return { outcome, replayed, journal, events: await Array.fromAsync(journal.read()) };
}
