import type { SessionRecord } from "@toolkeep/core/internal";
import type { UsedUp } from "../options/agent-budget.ts";
import { type RecordedRun, readRuns } from "../record/recorded-runs.ts";

const NOTHING: UsedUp = { steps: 0, tokens: 0, calls: 0 };

/** What a run used, as its journal says, with all of its subagents. */
export async function usedByRun(run: RecordedRun, record: Pick<SessionRecord, "journalOf">): Promise<UsedUp> {
  const own = run.steps.map(({ reply }): UsedUp => {
    if (reply === undefined || reply === null) return NOTHING;
    const { inputTokens = 0, outputTokens = 0 } = reply.usage ?? {};
    return { steps: 1, tokens: inputTokens + outputTokens, calls: reply.calls.length };
  });
  return sum([...own, await usedByChildren(childrenOf(run), record)]);
}

/** What subagents used, as their journals say, each with its own. */
export async function usedByChildren(
  childIds: Iterable<string>,
  record: Pick<SessionRecord, "journalOf">,
): Promise<UsedUp> {
  const used: UsedUp[] = [];
  for (const childId of childIds)
    for (const run of await readRuns(record.journalOf(childId))) used.push(await usedByRun(run, record));
  return sum(used);
}

/** The subagents whose calls have a result in this run. */
export function childrenOf({ steps }: Pick<RecordedRun, "steps">): ReadonlySet<string> {
  const results = steps.flatMap(({ calls }) => [...calls.results.values()]);
  return new Set(results.flatMap((result) => (result?.childId === undefined ? [] : [result.childId])));
}

function sum(all: readonly UsedUp[]): UsedUp {
  return all.reduce(
    (one, other) => ({
      steps: one.steps + other.steps,
      tokens: one.tokens + other.tokens,
      calls: one.calls + other.calls,
    }),
    NOTHING,
  );
}
