import { BUG_FIX } from "../hook/bug-fix.ts";
import { placed } from "../hook/shop.ts";
import type { Expected } from "../step.ts";
import { HARMLESS } from "./claude-code.ts";
import { openRound, placeOfTests, type Round } from "./round.ts";
import { startModel } from "./scripted-model.ts";

/** What a real client did with one step. */
export interface Outcome {
  readonly name: string;
  readonly expected: Expected;
  /** A person was asked. */
  readonly asked: boolean;
  /** It did not run, and nobody was asked. */
  readonly refused: boolean;
  /** It was refused with another command that does the same. */
  readonly safeForm: boolean;
  /** Where tests of the project ran. */
  readonly tests?: "sandbox" | "machine";
  /** The beginning of what the model was told. */
  readonly result: string;
}

export interface PlayedBugFix {
  readonly outcomes: readonly Outcome[];
  /** Why it proves nothing. */
  readonly voids: readonly string[];
}

const SAFE_FORM = /\bneeds no approval: \S/;
const TESTS = /^npm test/;
const SHOWN = 300;

/** Plays the bug fix with the real client. A person who is asked says yes. */
export async function playBugFix(round: Round): Promise<PlayedBugFix> {
  const { client, program, mode } = round;
  const shop = await openRound(round);
  const steps = BUG_FIX.map((step) => ({ step, calls: client.calls(placed(step.call, shop)) }));
  const calls = steps.flatMap(({ calls: some }) => some);
  const model = await startModel({ calls, aside: HARMLESS });
  const asked = new Set<number>();
  const decide = () => {
    asked.add(model.made() - 1);
    return true;
  };
  try {
    const written = await client.play({ program, shop, mode, model, decide });
    let first = 0;
    const outcomes = steps.flatMap(({ step, calls: { length } }): readonly Outcome[] => {
      const indexes = Array.from({ length }, (_, index) => first + index);
      first += length;
      if (length === 0) return [];
      const result = model.result(first - 1) ?? "";
      const isAsked = indexes.some((index) => asked.has(index));
      const isRefused = client.isRefused(result) && !isAsked;
      const place = TESTS.test(step.name) ? placeOfTests(result) : undefined;
      return [
        {
          ...{ name: step.name, expected: step.expected, asked: isAsked },
          ...{ refused: isRefused, safeForm: isRefused && SAFE_FORM.test(result) },
          ...(place === undefined ? {} : { tests: place }),
          result: result.slice(0, SHOWN),
        },
      ];
    });
    const isShort = !model.isDone();
    return { outcomes, voids: isShort ? [`it ended after call ${model.made()}: ${written}`] : [] };
  } finally {
    await model.close();
    shop.remove();
  }
}
