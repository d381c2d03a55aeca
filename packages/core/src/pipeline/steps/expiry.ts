import type { ApprovalAnswer } from "../../contract/approval/approval.ts";

/** Timers cannot be set further ahead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** No answer came in time: the call is denied. */
export const EXPIRED: ApprovalAnswer = Object.freeze({
  verdict: "reject",
  message: "Denied: no answer came in time.",
  by: "deadline",
});

function expiryOf(request: unknown): number | undefined {
  return (request as { readonly expiresAt?: number }).expiresAt;
}

export function isExpired(request: unknown): boolean {
  return Date.now() > (expiryOf(request) ?? Number.POSITIVE_INFINITY);
}

/** The answer, or a no when the time for it is over. */
export async function untilExpiry<Answer>(
  request: unknown,
  answer: Promise<Answer>,
): Promise<Answer | ApprovalAnswer> {
  const expiresAt = expiryOf(request);
  if (expiresAt === undefined) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<ApprovalAnswer>((resolve) => {
    const wait = () => {
      const left = expiresAt - Date.now();
      if (left <= 0) resolve(EXPIRED);
      else timer = setTimeout(wait, Math.min(left, LONGEST_TIMER_MS));
    };
    wait();
  });
  try {
    return await Promise.race([answer, expired]);
  } finally {
    clearTimeout(timer);
  }
}
