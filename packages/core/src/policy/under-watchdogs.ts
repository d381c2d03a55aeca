import type { Decision, PolicyMode, Watchdog, WatchdogVerdict } from "../contract/policy/decision.ts";
import { errorText } from "../contract/values/error.ts";
import { observed } from "./after-mode.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { andThen, inTime } from "./rules/promises.ts";
import { isDoubt, NO_RULE_MATCHES } from "./rules/unmatched-words.ts";

const TIMEOUT_MS = 5_000;

/** Every watchdog sees every call, in every mode, and can only make the decision stricter. A deny is final. */
export function underWatchdogs(
  watchdogs: readonly Watchdog[],
  mode: PolicyMode,
  decision: Decision | Promise<Decision>,
  input: PolicyInput,
): Decision | Promise<Decision> {
  if (decision instanceof Promise) return underTheRest(watchdogs, mode, decision, input);
  let narrowed = decision;
  for (let index = 0; index < watchdogs.length; index += 1) {
    if (narrowed.action === "deny") return narrowed;
    const watchdog = watchdogs[index] as Watchdog;
    const verdict = ask(watchdog, input);
    if (!(verdict instanceof Promise) && verdict.action === "allow") continue;
    const next = afterVerdict(narrowed, verdict, { watchdog, mode }, input);
    if (next instanceof Promise) return underTheRest(watchdogs.slice(index + 1), mode, next, input);
    narrowed = next;
  }
  return narrowed;
}

function afterVerdict(
  decision: Decision,
  verdict: WatchdogVerdict | Promise<WatchdogVerdict>,
  by: Omit<Said, "said">,
  input: PolicyInput,
): Decision | Promise<Decision> {
  return andThen(verdict, (said) => narrow(decision, { ...by, said }, input));
}

async function underTheRest(
  watchdogs: readonly Watchdog[],
  mode: PolicyMode,
  decision: Promise<Decision>,
  input: PolicyInput,
): Promise<Decision> {
  return underWatchdogs(watchdogs, mode, await decision, input);
}

function ask(watchdog: Watchdog, { call, context }: PolicyInput): WatchdogVerdict | Promise<WatchdogVerdict> {
  try {
    const verdict = watchdog.evaluate(call, context);
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
  input: PolicyInput,
): Decision | Promise<Decision> {
  const matchedBy = watchdog.name;
  if (said.action === "allow") return decision;
  if (said.action === "deny") {
    return mode === "observe" && builtIn.has(watchdog)
      ? noted(decision, { matchedBy, reason: said.reason }, input)
      : forbid(matchedBy, said.reason, input);
  }
  if (mode === "yolo") {
    return forbid(
      matchedBy,
      `${said.reason} It would ask, and in the mode yolo no approver is asked.`,
      input,
    );
  }
  const { call, context, trace } = input;
  return andThen(context.isApproved(call, matchedBy), (isApproved) => {
    if (isApproved) {
      trace?.push({
        layer: "approval",
        said: "nothing",
        how: "narrows",
        matchedBy: `${matchedBy} was answered before`,
      });
      return decision;
    }
    trace?.push({ layer: "watchdog", said: "ask", how: "narrows", matchedBy, reason: said.reason });
    const asking = askToo(decision, matchedBy, said.reason);
    return mode === "observe" && decision.isFinal !== true
      ? stricterObserved(decision, observed(asking, trace))
      : asking;
  });
}

/** In the mode `observe` a built-in watchdog stops nothing; what it would have denied is recorded. */
function noted(
  decision: Decision,
  { matchedBy, reason }: { readonly matchedBy: string; readonly reason: string },
  { trace }: PolicyInput,
): Decision {
  // A final rule asks in this mode too, and is not observed.
  if (decision.isFinal === true) return decision;
  trace?.push({ layer: "watchdog", said: "deny", how: "narrows", matchedBy, reason });
  const denied: Decision = { action: "deny", layer: "watchdog", matchedBy, reason };
  return stricterObserved(decision, observed(denied, trace));
}

/** The watchdogs that no host application wrote. */
export const builtIn = new WeakSet<Watchdog>();

function forbid(matchedBy: string, reason: string, { trace }: PolicyInput): Decision {
  trace?.push({ layer: "watchdog", said: "deny", how: "narrows", matchedBy, reason, isFinal: true });
  return { action: "deny", layer: "watchdog", matchedBy, reason, isFinal: true };
}

/** Other askers stay: an answer is remembered for each of them separately. */
function askToo(decision: Decision, matchedBy: string, reason: string): Decision {
  if (decision.action !== "ask") {
    return { action: "ask", layer: "watchdog", matchedBy, reason, because: reason, askedBy: [matchedBy] };
  }
  const { because, reason: said = decision.matchedBy } = decision;
  // The watchdog knows that it changes something.
  const before = isDoubt(said) ? NO_RULE_MATCHES : said;
  const more = before.includes(reason) ? {} : { reason: `${reason} ${before}` };
  return {
    ...decision,
    because: because === undefined ? reason : `${reason} ${because}`,
    ...more,
    askedBy: [...(decision.askedBy ?? []), matchedBy],
  };
}

/** What the rules would have denied stays recorded as theirs, when a watchdog would have asked as well. */
function stricterObserved(before: Decision, now: Decision): Decision {
  return before.observed?.action === "deny" ? before : now;
}
