import { invalidOption, isRecord } from "@toolkeep/core/internal";
import type { PolicyCall, PolicyContext, Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { readBounded } from "../network/read-bounded.ts";

export interface OpaWatchdogOptions {
  /** Where the policy server answers, e.g. `http://127.0.0.1:8181/v1/data/toolkeep/decision`. */
  readonly url: string;
  /** Default: two seconds. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the watchdog. Default: `decision-point`. */
  readonly name?: string;
}

const TIMEOUT_MS = 2_000;
const LONGEST_TIMEOUT_MS = 60_000;
const LARGEST_ANSWER = 65_536;
const LONGEST_REASON = 1_000;

/** So that our own time limit ends before the watchdog's. */
const GRACE_MS = 500;

/**
 * Asks a policy server about every call, in the shape of OPA's data API: it is posted an `input` and
 * answers with a `result`. It sees the arguments as they are. Whatever is not a clear answer throws,
 * and a watchdog that throws denies.
 * @throws ToolkeepError `invalid_option` for an address or a time that cannot be used.
 */
export function opaWatchdog(options: OpaWatchdogOptions): Watchdog {
  const { timeoutMs = TIMEOUT_MS, headers = {}, name = "decision-point" } = options;
  const url = addressOf(options.url);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw invalidOption(`\`timeoutMs\` is 1 to ${LONGEST_TIMEOUT_MS}; it was ${timeoutMs}.`);
  }
  return Object.freeze({
    name,
    timeoutMs: timeoutMs + GRACE_MS,
    async evaluate(call, context) {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ input: inputOf(call, context) }),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`the policy server answered ${response.status}`);
      }
      return verdictOf(await readBounded(response, LARGEST_ANSWER));
    },
  } satisfies Watchdog);
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!isUsable) {
    throw invalidOption("`url` must be an http or https address without a user in it.");
  }
  return url.href;
}

function inputOf({ found, args, effects }: PolicyCall, context: PolicyContext): object {
  const { principal, sessionId, agents, taint, sandbox } = context;
  return {
    tool: found.name,
    origin: found.originName,
    arguments: args,
    effects,
    principal,
    session: sessionId,
    agents,
    taint: [...taint],
    sandbox,
  };
}

const PASSES: WatchdogVerdict = Object.freeze({ action: "allow" });

function verdictOf(text: string): WatchdogVerdict {
  const answer: unknown = JSON.parse(text);
  const result = isRecord(answer) ? answer["result"] : undefined;
  if (result === true) return PASSES;
  if (result === false) return { action: "deny", reason: "The policy server refuses it." };
  if (!isRecord(result)) throw new Error("the policy server gave no result");
  const { allow, ask = false, reason = "" } = result;
  if (typeof allow !== "boolean" || typeof ask !== "boolean" || typeof reason !== "string") {
    throw new Error("the policy server gave a result that is not understood");
  }
  if (ask) return { action: "ask", reason: shortened(reason) || "The policy server wants it asked." };
  if (allow) return PASSES;
  return { action: "deny", reason: shortened(reason) || "The policy server refuses it." };
}

function shortened(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
}
