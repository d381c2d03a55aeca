import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../contract/approval/approval.ts";
import type { QuestionAnswers, QuestionRequest } from "../../contract/people/question.ts";
import { errorText } from "../../contract/values/error.ts";

/**
 * One approver made of several, which are asked at once: a terminal, a page, an editor. The one that answers
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
        failed: (words) => ({ verdict: "reject", message: `Denied: ${words}.`, by: "broker" }),
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
    // An approver that will answer later is still needed.
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

/** The asks that one model turn raised, for a person to see together. */
export interface GroupedApproval {
  readonly id: string;
  readonly requests: readonly ApprovalRequest[];
}

/** Answers all requests of a group together. */
export interface GroupAnswerer {
  /** One answer for each request, in their order. */
  decide(group: GroupedApproval, signal: AbortSignal): Promise<readonly (ApprovalAnswer | "later")[]>;
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

/** How long a group waits for the rest of its batch: requests that were answered before a restart do not come again. */
const PATIENCE_MS = 50;

interface OpenGroup {
  readonly requests: ApprovalRequest[];
  readonly signals: AbortSignal[];
  readonly answers: PromiseWithResolvers<readonly (ApprovalAnswer | "later")[]>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** An approver that groups the requests of a batch: the user sees six requests once, not one request six times. */
export function groupedApprover({ decide, answer }: GroupAnswerer): Approver {
  const open = new Map<string, OpenGroup>();

  function close(id: string, group: OpenGroup): void {
    clearTimeout(group.timer);
    open.delete(id);
    const requests = group.requests.toSorted((one, other) => one.batch.index - other.batch.index);
    const answers = Promise.try(() => decide({ id, requests }, whenAll(group.signals)));
    answers
      .then((given) => (Array.isArray(given) ? given : []))
      .then((given) => group.requests.map((one) => given[requests.indexOf(one)] ?? UNANSWERED))
      .then(group.answers.resolve, group.answers.reject);
  }

  return {
    async approve(request, signal) {
      const { id, size } = request.batch;
      const key = `${request.sessionId}/${id}`;
      const group = open.get(key) ?? newGroup();
      open.set(key, group);
      const index = group.requests.push(request) - 1;
      group.signals.push(signal);
      clearTimeout(group.timer);
      if (group.requests.length >= size) close(key, group);
      else group.timer = setTimeout(() => close(key, group), PATIENCE_MS);
      return (await group.answers.promise)[index] ?? UNANSWERED;
    },
    ...(answer === undefined ? {} : { answer }),
  };
}

/** The group is dismissed when none of its requests is needed any more. */
function whenAll(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const look = () => {
    if (signals.every(({ aborted }) => aborted)) controller.abort();
  };
  for (const signal of signals) signal.addEventListener("abort", look, { once: true });
  look();
  return controller.signal;
}

const UNANSWERED: ApprovalAnswer = Object.freeze({
  verdict: "reject",
  words: "Denied: the grouped approval was answered without an answer to this request.",
  by: "group",
});

function newGroup(): OpenGroup {
  return { requests: [], signals: [], answers: Promise.withResolvers(), timer: undefined };
}
