import type { Effect } from "./effect.ts";
import type { Origin } from "./origin.ts";
import type { QuestionAnswers, QuestionRequest } from "./question.ts";

/** What a person is asked before a call may run. Secrets are already replaced. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly label: string;
  readonly origin: Origin;
  readonly arguments: unknown;
  readonly effects: readonly Effect[];
  /** What the call is about. `always` remembers it together with the very same effects. */
  readonly approvalKey: string;
  /** Who asks, and why. */
  readonly reason: string;
}

export type ApprovalAnswer =
  | { readonly verdict: "once"; readonly by?: string }
  | { readonly verdict: "always"; readonly scope?: "session" | "project"; readonly by?: string }
  | { readonly verdict: "reject"; readonly words?: string; readonly by?: string }
  | {
      readonly verdict: "edit";
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly by?: string;
    };

/**
 * Port: whoever answers. `later` means the request was delivered and the answer will come from
 * another place or another process: the turn parks.
 */
export interface Approver {
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | "later">;
  /** Missing: nobody is there to be questioned. */
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

export const HEADLESS_DENIAL = "Denied: this needs a person's approval and nobody is there to give it.";
export const HEADLESS_QUESTION = "Nobody is there to answer questions. Go on with your best guess.";

/** Denies everything that asks. The default: a runtime never invents an answer. */
export const headlessApprover: Approver = Object.freeze({
  approve: () => Promise.resolve({ verdict: "reject", words: HEADLESS_DENIAL, by: "headless" } as const),
});
