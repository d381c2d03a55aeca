import { type ApprovalAnswer, type ApprovalRequest, type Approver, ToolFailure } from "@toolkeep/core";
import { HEADLESS_QUESTION, type QuestionRequest } from "@toolkeep/core/internal";
import { headlessRejection } from "./headless-rejection.ts";

/**
 * Receives the approval requests of a served session. Pass its approver to `createSession`, and the queue itself to
 * `serveMcp`. While no handler is subscribed, every call that asks is denied.
 */
export interface ApprovalQueue {
  readonly approver: Approver;
  /** Subscribes a handler to the requests; the returned function unsubscribes it. */
  subscribe(handler: ApprovalHandler): () => void;
}

/** Receives approval requests. It never decides itself: it returns `later`, or reports that no approver is reachable. */
interface ApprovalHandler {
  approve(request: ApprovalRequest, signal: AbortSignal): ApprovalAnswer | "later";
  /** `false`: no approver can be reached. */
  answer(request: QuestionRequest, signal: AbortSignal): boolean;
}

/** Creates an approval queue for one session. */
export function createApprovalQueue(): ApprovalQueue {
  let subscribed: ApprovalHandler | undefined;
  return Object.freeze({
    approver: {
      approve: async (request, signal) => subscribed?.approve(request, signal) ?? headlessRejection(request),
      answer: async (request, signal) => {
        if (subscribed?.answer(request, signal) !== true)
          throw new ToolFailure("unavailable", HEADLESS_QUESTION);
        return "later";
      },
    } satisfies Approver,
    subscribe(handler: ApprovalHandler) {
      subscribed = handler;
      return () => {
        if (subscribed === handler) subscribed = undefined;
      };
    },
  });
}
