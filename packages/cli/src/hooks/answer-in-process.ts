import { isAnswer } from "../decider/check-answer.ts";
import { blocked } from "./blocked.ts";
import { hardDeadline } from "./hard-deadline.ts";
import type { HookAnswer } from "./hook-call.ts";
import { type HookRequest, runHook } from "./run-hook.ts";

/** Clients wait longer, and then let the call pass. */
const TIMEOUT_MS = 10_000;
/** For a thread that is too busy to run the timer. Clients wait for 30 seconds. */
const HARD_MS = 15_000;

/** Decides in this process, within the time that clients wait. */
export async function answerInProcess(request: HookRequest): Promise<HookAnswer> {
  const late = blocked(`it took longer than ${TIMEOUT_MS / 1_000} seconds.`);
  using _ = hardDeadline(HARD_MS, late.stderr);
  const { promise, resolve } = Promise.withResolvers<HookAnswer>();
  const timer = setTimeout(() => resolve(late), TIMEOUT_MS);
  try {
    const answer = await Promise.race([runHook(request), promise]);
    return isAnswer(answer, request.client) ? answer : blocked("its answer is not valid.");
  } finally {
    clearTimeout(timer);
  }
}
