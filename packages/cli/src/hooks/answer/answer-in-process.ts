import type { HookAnswer } from "../../clients/hook-call.ts";
import { blocked } from "./blocked.ts";
import { isAnswer } from "./check-answer.ts";
import { hardDeadline } from "./hard-deadline.ts";
import { TOO_LATE, timeLeft } from "./hook-time.ts";
import { type HookRequest, runHook } from "./run-hook.ts";

/** Decides in this process, within the time that clients wait. */
export async function answerInProcess(request: HookRequest): Promise<HookAnswer> {
  const late = blocked(TOO_LATE);
  const { decideMs, liveMs } = timeLeft();
  using _ = hardDeadline(liveMs, late.stderr);
  const { promise, resolve } = Promise.withResolvers<HookAnswer>();
  const timer = setTimeout(() => resolve(late), decideMs);
  try {
    const answer = await Promise.race([runHook(request), promise]);
    return isAnswer(answer, request.client) ? answer : blocked("its answer is not valid.");
  } finally {
    clearTimeout(timer);
  }
}
