import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../contract/approval.ts";
import type { QuestionAnswers, QuestionRequest } from "../../contract/question.ts";

/** The asks that one model turn raised, for a person to see together. */
export interface GroupedApproval {
  readonly id: string;
  readonly requests: readonly ApprovalRequest[];
}

export interface GroupAnswerer {
  /** One answer for each request, in their order. */
  decide(group: GroupedApproval, signal: AbortSignal): Promise<readonly (ApprovalAnswer | "later")[]>;
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

/** How long a card waits for the rest of its batch; those that were answered in an earlier life do not come. */
const PATIENCE_MS = 50;

interface OpenGroup {
  readonly requests: ApprovalRequest[];
  readonly signals: AbortSignal[];
  readonly answers: PromiseWithResolvers<readonly (ApprovalAnswer | "later")[]>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** An approver that puts the asks of a batch on one card: a person sees six asks once, not one ask six times. */
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

/** The card is not needed any more when none of its requests is. */
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
  words: "Denied: the card came back without an answer to this.",
  by: "group",
});

function newGroup(): OpenGroup {
  return { requests: [], signals: [], answers: Promise.withResolvers(), timer: undefined };
}
