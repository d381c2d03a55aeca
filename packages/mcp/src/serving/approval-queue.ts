import { type ApprovalAnswer, type ApprovalRequest, type Approver, ToolFailure } from "@toolkeep/core";
import { HEADLESS_QUESTION, type QuestionRequest } from "@toolkeep/core/internal";
import { headlessRejection } from "./headless-rejection.ts";

/**
 * Where the asks of a served session arrive. Give its approver to `createSession`, and the desk itself to
 * `serveMcp`. While nobody sits at it, whatever asks is denied.
 */
export interface ApprovalQueue {
  readonly approver: Approver;
  /** Seats whoever takes the requests; the returned function makes the place free again. */
  subscribe(handler: ApprovalHandler): () => void;
}

/** Takes what is put to a person. Never answers in a person's place: it says `later`, or that nobody is there. */
export interface ApprovalHandler {
  approve(request: ApprovalRequest, signal: AbortSignal): ApprovalAnswer | "later";
  /** `false`: nobody is there to be questioned. */
  answer(request: QuestionRequest, signal: AbortSignal): boolean;
}

/** Makes a desk for one session. */
export function approvalQueue(): ApprovalQueue {
  let seated: ApprovalHandler | undefined;
  return Object.freeze({
    approver: {
      approve: async (request, signal) => seated?.approve(request, signal) ?? headlessRejection(request),
      answer: async (request, signal) => {
        if (seated?.answer(request, signal) !== true) throw new ToolFailure("unavailable", HEADLESS_QUESTION);
        return "later";
      },
    } satisfies Approver,
    subscribe(handler: ApprovalHandler) {
      seated = handler;
      return () => {
        if (seated === handler) seated = undefined;
      };
    },
  });
}
