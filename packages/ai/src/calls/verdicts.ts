import type { Decision, SessionOptions } from "@toolkeep/core";
import { isAuthorizer, policyDefinition } from "@toolkeep/core/internal";
import type { Authorizer, Watchdog, WatchdogVerdict } from "@toolkeep/core/policy";
import { stricterOf } from "./own-approval.ts";
import { claimOf, type SdkCall } from "./sdk-call.ts";

type Evaluated = Pick<SdkCall, "toolCallId" | "toolName" | "input">;

const MOST_KEPT = 10_000;
/** A genuine call has one set of arguments. */
const MOST_CLAIMS = 16;
const NAME = "ai-sdk";
const ALLOW: WatchdogVerdict = Object.freeze({ action: "allow" });
const TOO_MANY: WatchdogVerdict = Object.freeze({
  action: "deny",
  reason: "Denied: the id of this call was used with too many different arguments.",
});

/** The verdicts on one id and tool. */
interface Said {
  readonly claims: Map<string, WatchdogVerdict>;
  strictest: WatchdogVerdict;
  /** How many operations use it; an unused entry may be dropped. */
  users: number;
}

/**
 * The verdicts of the application's own approval functions. They narrow policy and never widen it. The sender of a
 * request chooses its ids, so a verdict belongs to id, tool and arguments, and a weaker verdict never replaces a
 * stricter one.
 */
export class Verdicts {
  readonly #said = new Map<string, Said>();

  /** The verdict on this exact call. A dropped verdict is asked for again before the call runs. */
  async of(call: Evaluated): Promise<WatchdogVerdict | undefined> {
    return this.#said.get(keyOf(call.toolCallId, call.toolName))?.claims.get(await claimOf(call));
  }

  /** Applies the verdict while the work is done. */
  async during<T>(call: Evaluated, verdict: WatchdogVerdict, work: () => Promise<T>): Promise<T> {
    const claim = await claimOf(call);
    const said = this.#saidOf(keyOf(call.toolCallId, call.toolName));
    const before = said.claims.get(claim);
    const isNew = before === undefined && said.claims.size >= MOST_CLAIMS;
    const narrow = isNew ? TOO_MANY : stricterOf(before ?? ALLOW, verdict);
    if (!isNew) said.claims.set(claim, narrow);
    said.strictest = stricterOf(said.strictest, narrow);
    said.users += 1;
    try {
      return await work();
    } finally {
      said.users -= 1;
    }
  }

  /** Drops the verdicts on a call that has ended, unless they are in use. */
  forget({ toolCallId, toolName }: Evaluated): void {
    const key = keyOf(toolCallId, toolName);
    if (this.#said.get(key)?.users === 0) this.#said.delete(key);
  }

  /** Adds these verdicts to the policy of a session. */
  addedTo<Options extends Pick<SessionOptions, "policy">>(options: Options): Options {
    const { policy } = options;
    if (isAuthorizer(policy)) return { ...options, policy: this.#narrowing(policy) };
    const own: Watchdog = { name: NAME, evaluate: ({ id, found }) => this.#strictest(id, found.name) };
    const definition = policyDefinition(policy) ?? {};
    return { ...options, policy: { ...definition, watchdogs: [...(definition.watchdogs ?? []), own] } };
  }

  /** Policy sees the transformed arguments, so the strictest verdict on id and tool applies. */
  #strictest(id: string, tool: string): WatchdogVerdict {
    return this.#said.get(keyOf(id, tool))?.strictest ?? ALLOW;
  }

  #saidOf(key: string): Said {
    const known = this.#said.get(key);
    if (known !== undefined) return known;
    if (this.#said.size >= MOST_KEPT) this.#forgetOldest();
    const made: Said = { claims: new Map(), strictest: ALLOW, users: 0 };
    this.#said.set(key, made);
    return made;
  }

  #forgetOldest(): void {
    for (const [key, { users }] of this.#said) {
      if (users > 0) continue;
      this.#said.delete(key);
      return;
    }
  }

  #narrowing(authorizer: Authorizer): Authorizer {
    const { leavesOut, pathDenies, marksOf } = authorizer;
    return {
      ...(leavesOut === undefined
        ? {}
        : { leavesOut: (call, context) => leavesOut.call(authorizer, call, context) }),
      ...(pathDenies === undefined
        ? {}
        : { pathDenies: (call, context) => pathDenies.call(authorizer, call, context) }),
      ...(marksOf === undefined ? {} : { marksOf: (call, roots) => marksOf.call(authorizer, call, roots) }),
      decide: async (call, context) => {
        const decision = await authorizer.decide(call, context);
        return narrowed(decision, this.#strictest(call.id, call.found.name));
      },
    };
  }
}

function keyOf(id: string, tool: string): string {
  return JSON.stringify([id, tool]);
}

function narrowed(decision: Decision, verdict: WatchdogVerdict): Decision {
  if (verdict.action === "allow" || decision.action === "deny") return decision;
  if (verdict.action === "ask" && decision.action === "ask") {
    return { ...decision, askedBy: [...(decision.askedBy ?? ["rules"]), NAME] };
  }
  const { action, reason } = verdict;
  return { action, layer: "watchdog", matchedBy: NAME, reason, askedBy: [NAME] };
}
