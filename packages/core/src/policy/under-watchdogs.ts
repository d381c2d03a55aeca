import type { Decision, PolicyMode } from "../contract/decision.ts";
import { errorText } from "../contract/error-text.ts";
import type { Watchdog, WatchdogVerdict } from "../contract/watchdog.ts";
import { observed } from "./after-mode.ts";
import { andThen } from "./and-then.ts";
import type { Hearing } from "./hearing.ts";
import { inTime } from "./in-time.ts";

const TIMEOUT_MS = 5_000;

/** Every watchdog looks at every call, in every mode, and can only narrow. A deny is final. */
export function underWatchdogs(
  watchdogs: readonly Watchdog[],
  mode: PolicyMode,
  decision: Decision,
  hearing: Hearing,
): Decision | Promise<Decision> {
  let narrowed = decision;
  for (let index = 0; index < watchdogs.length; index += 1) {
    if (narrowed.action === "deny") return narrowed;
    const watchdog = watchdogs[index] as Watchdog;
    const verdict = ask(watchdog, hearing);
    if (!(verdict instanceof Promise) && verdict.action === "allow") continue;
    const next = andThen(verdict, (said) => narrow(narrowed, { watchdog, said, mode }, hearing));
    if (next instanceof Promise) {
      const rest = watchdogs.slice(index + 1);
      return next.then((late) => underWatchdogs(rest, mode, late, hearing));
    }
    narrowed = next;
  }
  return narrowed;
}

function ask(
  watchdog: Watchdog,
  { call, circumstances }: Hearing,
): WatchdogVerdict | Promise<WatchdogVerdict> {
  try {
    const verdict = watchdog.judge(call, circumstances);
    if (!(verdict instanceof Promise)) return known(verdict);
    return inTime(verdict, watchdog.timeoutMs ?? TIMEOUT_MS).then(known, (error: unknown) =>
      failed(watchdog, error),
    );
  } catch (error) {
    return failed(watchdog, error);
  }
}

function known(verdict: WatchdogVerdict): WatchdogVerdict {
  const { action } = verdict ?? {};
  if (action === "allow" || action === "ask" || action === "deny") return verdict;
  return { action: "deny", reason: "It gave no verdict that is known." };
}

function failed(watchdog: Watchdog, error: unknown): WatchdogVerdict {
  return { action: "deny", reason: `The watchdog ${watchdog.name} failed: ${errorText(error)}` };
}

interface Said {
  readonly watchdog: Watchdog;
  readonly said: WatchdogVerdict;
  readonly mode: PolicyMode;
}

function narrow(
  decision: Decision,
  { watchdog, said, mode }: Said,
  hearing: Hearing,
): Decision | Promise<Decision> {
  const ground = watchdog.name;
  if (said.action === "allow") return decision;
  if (said.action === "deny") return forbid(ground, said.reason, hearing);
  if (mode === "yolo") {
    return forbid(ground, `${said.reason} It would ask, and in the mode yolo nobody is asked.`, hearing);
  }
  const { call, circumstances, trace } = hearing;
  return andThen(circumstances.isApproved(call, ground), (isApproved) => {
    if (isApproved) {
      trace?.push({
        layer: "approval",
        said: "nothing",
        how: "narrows",
        ground: `${ground} was answered before`,
      });
      return decision;
    }
    trace?.push({ layer: "watchdog", said: "ask", how: "narrows", ground, reason: said.reason });
    const asking = askToo(decision, ground, said.reason);
    return mode === "observe" ? { ...observed(asking, trace), ...kept(decision) } : asking;
  });
}

function forbid(ground: string, reason: string, { trace }: Hearing): Decision {
  trace?.push({ layer: "watchdog", said: "deny", how: "narrows", ground, reason, isFinal: true });
  return { action: "deny", layer: "watchdog", ground, reason, isFinal: true };
}

/** Whoever else asks keeps asking: an answer is remembered for each of them apart. */
function askToo(decision: Decision, ground: string, reason: string): Decision {
  if (decision.action !== "ask") {
    return { action: "ask", layer: "watchdog", ground, reason, askedBy: [ground] };
  }
  return {
    ...decision,
    reason: `${decision.reason ?? decision.ground} ${reason}`,
    askedBy: [...(decision.askedBy ?? []), ground],
  };
}

/** What the rules would have said is not forgotten when a watchdog would have asked as well. */
function kept({ observed: before }: Decision): Partial<Decision> {
  return before?.action === "deny" ? { observed: before } : {};
}
