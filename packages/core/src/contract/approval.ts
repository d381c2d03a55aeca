import type { Effect } from "./effect.ts";
import type { Treatment } from "./mode.ts";
import type { Origin } from "./origin.ts";
import type { QuestionAnswers, QuestionRequest } from "./question.ts";
import type { Rule } from "./rule.ts";

/** What a person is asked before a call may run. Secrets are already replaced. */
export interface ApprovalRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly label: string;
  readonly origin: Origin;
  readonly arguments: unknown;
  readonly effects: readonly Effect[];
  /** What the call is about. `always` remembers it together with the same effects. */
  readonly approvalKey: string;
  /** Why it is asked. */
  readonly reason: string;
  /** Who asks: `rules` or the names of watchdogs. */
  readonly askedBy: readonly string[];
  /** From the root to the agent that wants this; empty for the root itself. */
  readonly agents: readonly string[];
  /** What to show with it. */
  readonly treatment: Treatment;
  /** What an answer is bound to. */
  readonly binding: ApprovalBinding;
  /** Whether `always` can be said. */
  readonly mayRemember: boolean;
  /**
   * Wider rules that together would let this call and similar ones pass; empty where none would.
   * Taking them is a choice of its own: show what else they cover first (`session.preview`).
   */
  readonly suggestions: readonly Rule[];
  /** The requests that were raised together: one grouped approval. */
  readonly batch: { readonly id: string; readonly index: number; readonly size: number };
  /** Milliseconds since the epoch; a later answer is refused. */
  readonly expiresAt?: number;
  /** All of it in lines that are safe to print: nothing in them can pose as anything else. */
  readonly lines: readonly string[];
}

/** Fingerprints: an answer counts for these arguments, of this definition, and for nothing else. */
export interface ApprovalBinding {
  readonly arguments: string;
  readonly definition: string;
}

/** What a person may say. Each may carry who said it. */
export type ApprovalAnswer =
  | { readonly verdict: "once"; readonly by?: string }
  /**
   * Remembers the call by its tool, its key and everything it does, and by its arguments where those say
   * more. For the project only where the session has a store.
   */
  | { readonly verdict: "always"; readonly scope?: "session" | "project"; readonly by?: string }
  /** Adds wider rules for this session, e.g. those that were suggested. They must allow this call. */
  | { readonly verdict: "rules"; readonly rules: readonly Rule[]; readonly by?: string }
  | { readonly verdict: "reject"; readonly message?: string; readonly by?: string }
  | {
      readonly verdict: "edit";
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly by?: string;
    };

/** An answer and what it is bound to, signed so that another process may carry it. */
export interface SignedApproval {
  readonly requestId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly origin: Origin;
  readonly binding: ApprovalBinding;
  readonly answer: ApprovalAnswer;
  /** Who answered. */
  readonly approver: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** HMAC-SHA-256 over all of the above. */
  readonly signature: string;
}

/** What answers a request: a verdict, the same signed, or the answers to its questions. */
export type GivenAnswer = ApprovalAnswer | SignedApproval | QuestionAnswers;

/** A request for a person: to approve a call, or to answer questions of a tool. */
export type PersonRequest = ApprovalRequest | QuestionRequest;

/**
 * Port: answers requests. `later` means the request was delivered and the answer will come from
 * another place or another process: the turn parks.
 */
export interface Approver {
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | "later">;
  /** Missing: questions of tools fail. */
  answer?(request: QuestionRequest, signal: AbortSignal): Promise<QuestionAnswers | "later">;
}

/** Port: approvals that outlive a session, for one project. */
export interface ProjectApprovals {
  has(entry: string): boolean | Promise<boolean>;
  add(entry: string, about: RememberedApproval): void | Promise<void>;
}

/** What is remembered of an `always`, for the list of approvals. */
export interface RememberedApproval {
  readonly toolName: string;
  readonly origin: string;
  readonly approvalKey: string;
  readonly asker: string;
  readonly by?: string;
}

export const HEADLESS_DENIAL = "Denied: this call needs approval and no approver is configured.";
export const HEADLESS_QUESTION =
  "No approver is configured to answer questions. Continue with your best guess.";

/** Denies everything that asks. The default where no approver is configured. */
export const headlessApprover: Approver = Object.freeze({
  approve: async ({ reason }: ApprovalRequest) =>
    ({
      verdict: "reject",
      message: `${HEADLESS_DENIAL} It asked because: ${reason}`,
      by: "headless",
    }) as const,
});
