import { BUG_FIX } from "../hook/bug-fix.ts";
import { placed } from "../hook/shop.ts";
import type { Expected } from "../step.ts";
import { HARMLESS } from "./claude-code.ts";
import { openRound, placeOfTests, type Round } from "./round.ts";
import { startModel } from "./scripted-model.ts";
import { openTexts } from "./texts.ts";

/** What a real client did with one step. */
export interface Outcome {
  readonly name: string;
  readonly expected: Expected;
  /** A person was asked. */
  readonly asked: boolean;
  /** It did not run, and no user was asked. */
  readonly refused: boolean;
  /** It was refused with the rule that would allow it: what takes the place of a question where a client has none. */
  readonly namesRule: boolean;
  /** It was refused with another command that does the same. */
  readonly safeForm: boolean;
  /** Where tests of the project ran. */
  readonly tests?: "sandbox" | "machine";
  /** What the person was asked. */
  readonly question?: string;
  /** The beginning of what the model was told. */
  readonly result: string;
}

export interface PlayedBugFix {
  readonly outcomes: readonly Outcome[];
  /** Why it proves nothing. */
  readonly voids: readonly string[];
}

const SAFE_FORM = /\bneeds no approval: \S/;
const NAMED_RULE = /`(?:allow|ask|deny) [^`]+`/;
const TESTS = /^npm test/;
const SHOWN = 500;
const LONGEST_QUESTION = 4_000;

/** Plays the bug fix with the real client. A person who is asked says yes. */
export async function playBugFix(round: Round): Promise<PlayedBugFix> {
  const { client, program, mode } = round;
  const shop = await openRound(round);
  const texts = openTexts();
  const steps = BUG_FIX.map((step) => ({ step, calls: client.calls(placed(step.call, shop), texts) }));
  const calls = steps.flatMap(({ calls: some }) => some);
  const model = await startModel({ calls, aside: HARMLESS });
  const asked = new Map<number, string>();
  const decide = (words: string) => {
    asked.set(model.made() - 1, words);
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
      const question = indexes.map((index) => asked.get(index)).find((words) => words !== undefined);
      const isAsked = question !== undefined;
      const isRefused = client.isRefused(result) && !isAsked;
      const place = TESTS.test(step.name) ? placeOfTests(result) : undefined;
      return [
        {
          ...{ name: step.name, expected: step.expected, asked: isAsked },
          namesRule: isRefused && NAMED_RULE.test(result),
          ...{ refused: isRefused, safeForm: isRefused && SAFE_FORM.test(result) },
          ...(place === undefined ? {} : { tests: place }),
          ...(question === undefined ? {} : { question: question.slice(0, LONGEST_QUESTION) }),
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
