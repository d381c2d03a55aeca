import { type Approver, createSession, type Session, type SessionOptions } from "@toolkeep/core";

/** An approver that parks every request: the answer comes with a later request, perhaps in another process. */
export const sdkApprover: Approver = Object.freeze({ approve: async () => "later" as const });

/** One day. */
const APPROVAL_DEADLINE_MS = 24 * 60 * 60 * 1_000;

/** Opens the session of a chat: a new one, or the one of an earlier request or process. */
export function openChat(options: SessionOptions): Promise<Session> {
  const limits = { approvalDeadlineMs: APPROVAL_DEADLINE_MS, ...options.limits };
  return createSession({ ...options, limits, approver: sdkApprover });
}
