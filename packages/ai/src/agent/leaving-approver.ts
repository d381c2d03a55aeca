import type { Approver } from "@toolkeep/core";

/**
 * The approver of an agent that can leave while a person is asked: the request stays open in the store, and the answer
 * may come from anywhere.
 */
export function leavingApprover(given: Approver | Approver["approve"], leaving: AbortSignal): Approver {
  const approver = typeof given === "function" ? { approve: given } : given;
  const { answer, user } = approver;
  return {
    ...(user === undefined ? {} : { user }),
    approve: (request, signal) =>
      orLater(leaving, (left) => approver.approve(request, AbortSignal.any([signal, left]))),
    ...(answer === undefined
      ? {}
      : {
          answer: (request, signal) =>
            orLater(leaving, (left) => answer.call(approver, request, AbortSignal.any([signal, left]))),
        }),
  };
}

async function orLater<Answer>(
  leaving: AbortSignal,
  ask: (leaving: AbortSignal) => Promise<Answer>,
): Promise<Answer | "later"> {
  if (leaving.aborted) return "later";
  const { promise, resolve } = Promise.withResolvers<"later">();
  const leave = () => resolve("later");
  leaving.addEventListener("abort", leave, { once: true });
  const asked = ask(leaving);
  // After the agent left it is too late for an answer of this process, and for its failure.
  asked.catch(() => undefined);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    leaving.removeEventListener("abort", leave);
  }
}
