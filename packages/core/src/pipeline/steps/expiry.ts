import type { ApprovalAnswer } from "../../contract/approval/approval.ts";
import type { QuestionAnswers } from "../../contract/people/question.ts";

/** Timers cannot be set further ahead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_HELD_MS = 24 * 3_600_000;

/** No answer came in time: the call is denied. */
export const EXPIRED: ApprovalAnswer = Object.freeze({
  verdict: "reject",
  message: "Denied: no answer came in time.",
  by: "deadline",
});

/** No answer came in time to questions: a tool must not take that for one. */
export const UNANSWERED: QuestionAnswers = Object.freeze([]);

/** The answer, or the other one when the time for it is over. */
export async function untilExpiry<Answer, Late>(
  expiresAt: number,
  answer: Promise<Answer>,
  late: Late,
): Promise<Answer | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<Late>((resolve) => {
    const wait = () => {
      const left = expiresAt - Date.now();
      if (left <= 0) resolve(late);
      else timer = setTimeout(wait, Math.min(left, LONGEST_TIMER_MS));
      // A process that has nothing else to do need not wait for days.
      if (left > LONGEST_HELD_MS) (timer as { unref?(): void } | undefined)?.unref?.();
    };
    wait();
  });
  try {
    return await Promise.race([answer, expired]);
  } finally {
    clearTimeout(timer);
  }
}
