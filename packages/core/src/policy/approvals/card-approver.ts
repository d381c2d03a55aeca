import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../contract/approval.ts";
import type { QuestionAnswers, QuestionRequest } from "../../contract/question.ts";

/** The asks that one model turn raised, for a person to see together. */
export interface ApprovalCard {
  readonly id: string;
  readonly requests: readonly ApprovalRequest[];
}

export interface CardAnswerer {
  /** One answer for each request, in their order. */
  decide(card: ApprovalCard, signal: AbortSignal): Promise<readonly (ApprovalAnswer | "later")[]>;
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

/** How long a card waits for the rest of its batch; those that were answered in an earlier life do not come. */
const PATIENCE_MS = 50;

interface OpenCard {
  readonly requests: ApprovalRequest[];
  readonly signals: AbortSignal[];
  readonly answers: PromiseWithResolvers<readonly (ApprovalAnswer | "later")[]>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** An approver that puts the asks of a batch on one card: a person sees six asks once, not one ask six times. */
export function cardApprover({ decide, answer }: CardAnswerer): Approver {
  const open = new Map<string, OpenCard>();

  function close(id: string, card: OpenCard): void {
    clearTimeout(card.timer);
    open.delete(id);
    const requests = card.requests.toSorted((one, other) => one.batch.index - other.batch.index);
    const answers = Promise.try(() => decide({ id, requests }, whenAll(card.signals)));
    answers
      .then((given) => (Array.isArray(given) ? given : []))
      .then((given) => card.requests.map((one) => given[requests.indexOf(one)] ?? UNANSWERED))
      .then(card.answers.resolve, card.answers.reject);
  }

  return {
    async approve(request, signal) {
      const { id, size } = request.batch;
      const key = `${request.sessionId}/${id}`;
      const card = open.get(key) ?? newCard();
      open.set(key, card);
      const index = card.requests.push(request) - 1;
      card.signals.push(signal);
      clearTimeout(card.timer);
      if (card.requests.length >= size) close(key, card);
      else card.timer = setTimeout(() => close(key, card), PATIENCE_MS);
      return (await card.answers.promise)[index] ?? UNANSWERED;
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
  by: "card",
});

function newCard(): OpenCard {
  return { requests: [], signals: [], answers: Promise.withResolvers(), timer: undefined };
}
