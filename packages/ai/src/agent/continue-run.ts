import { NO_USAGE } from "./loop/ask-model.ts";
import type { Conversation } from "./loop/conversation.ts";
import { retell } from "./loop/retell.ts";
import type { LoopStart } from "./loop/run-loop.ts";
import { type AgentBudget, addUsage } from "./options/agent-budget.ts";
import type { KeptValues } from "./record/kept-values.ts";
import type { RecordedRun, RecordedStep } from "./record/recorded-runs.ts";

interface ContinuedParts {
  readonly conversation: Conversation;
  readonly kept: KeptValues;
  readonly budget: AgentBudget;
}

/** Where a run continues, and the steps that its earlier lives did not finish. */
interface Continued {
  readonly start: LoopStart;
  readonly unfinished: readonly RecordedStep[];
}

/** Retells what the run did before, up to the step that is not over. */
export async function continueRun(
  before: readonly RecordedRun[],
  { steps }: Pick<RecordedRun, "steps">,
  { conversation, kept, budget }: ContinuedParts,
): Promise<Continued> {
  let start: LoopStart = {
    step: lastStep(before) + 1,
    usage: NO_USAGE,
    inputTokens: 0,
    text: "",
    isOver: false,
  };
  for (const one of steps) {
    const reply = await kept.reply(one.step);
    const isOver = one.reply !== undefined && (one.calls.isOver || hasNoCalls(one));
    // What follows from the last step, such as the end of the run, is found out again: it may not be recorded.
    // Without the raw reply its calls cannot run: what they got is shown, and the model continues from there.
    if ((!isOver || one === steps.at(-1)) && (one.reply === undefined || reply !== undefined))
      return { start: { ...start, step: one.step, isOver }, unfinished: steps.slice(steps.indexOf(one)) };
    const told = await retell(one, conversation, kept);
    const usage = told?.usage ?? NO_USAGE;
    budget.step(usage);
    for (const _ of told?.calls ?? []) budget.charge();
    start = {
      step: one.step + 1,
      usage: addUsage(start.usage, usage),
      inputTokens: usage.inputTokens,
      text: told?.text || start.text,
      isOver: false,
    };
  }
  return { start, unfinished: [] };
}

/** The number of the last step; 0 before the first. */
export function lastStep(runs: readonly RecordedRun[]): number {
  return Math.max(0, ...runs.flatMap(({ steps }) => steps.map(({ step }) => step)));
}

function hasNoCalls({ reply }: RecordedStep): boolean {
  return reply?.calls.length === 0;
}
