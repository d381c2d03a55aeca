import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../contract/approval.ts";
import { errorText } from "../../contract/error-text.ts";
import type { QuestionAnswers, QuestionRequest } from "../../contract/question.ts";

/**
 * One approver made of several, which are asked at once: a terminal, a page, an editor. Whoever answers
 * first has answered; the others are told that they are not needed any more, and what they say later is
 * not listened to. If all of them fail, that is a no.
 */
export function approvalBroker(...given: readonly (Approver | Approver["approve"])[]): Approver {
  const approvers = given.map((one): Approver => (typeof one === "function" ? { approve: one } : one));
  const questioned = approvers.filter(({ answer }) => answer !== undefined);
  return {
    approve: (request: ApprovalRequest, signal) =>
      race<ApprovalAnswer>({
        asked: approvers.map((approver) => (inner) => approver.approve(request, inner)),
        signal,
        failed: (words) => ({ verdict: "reject", words: `Denied: ${words}.`, by: "broker" }),
      }),
    ...(questioned.length === 0
      ? {}
      : {
          answer: (request: QuestionRequest, signal: AbortSignal) =>
            race<QuestionAnswers>({
              asked: questioned.map(
                (approver) => async (inner) => (await approver.answer?.(request, inner)) ?? "later",
              ),
              signal,
              failed: (words) => Promise.reject(new Error(words)),
            }),
        }),
  };
}

interface Race<Answer> {
  readonly asked: readonly ((signal: AbortSignal) => Promise<Answer | "later">)[];
  readonly signal: AbortSignal;
  failed(words: string): Answer | Promise<Answer>;
}

async function race<Answer>(race: Race<Answer>): Promise<Answer | "later"> {
  const over = new AbortController();
  const signal = AbortSignal.any([race.signal, over.signal]);
  let answered: Answer | "later" = "later";
  try {
    answered = await new Promise<Answer | "later">((resolve, reject) => {
      const outcomes: ("later" | Error)[] = [];
      const settle = (outcome: "later" | Error) => {
        outcomes.push(outcome);
        if (outcomes.length < race.asked.length) return;
        if (outcomes.includes("later")) resolve("later");
        else Promise.resolve(race.failed(wordsOf(outcomes))).then(resolve, reject);
      };
      if (race.asked.length === 0) settle(new Error("there is no approver"));
      for (const ask of race.asked) {
        attempt(ask, signal).then(
          (answer) => (answer === "later" ? settle("later") : resolve(answer)),
          (error: unknown) => settle(new Error(errorText(error))),
        );
      }
    });
    return answered;
  } finally {
    // Whoever will answer later is still needed.
    if (answered !== "later") over.abort();
  }
}

/** One that throws before it gives a promise has failed as well. */
async function attempt<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer | "later">,
  signal: AbortSignal,
): Promise<Answer | "later"> {
  return ask(signal);
}

function wordsOf(outcomes: readonly ("later" | Error)[]): string {
  const reasons = outcomes.map((one) => (one === "later" ? one : one.message));
  return `every approver failed (${reasons.join("; ")})`;
}
