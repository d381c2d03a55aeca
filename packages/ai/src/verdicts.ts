import type { Authorizer, Decision, PolicyOptions, Watchdog, WatchdogVerdict } from "@toolkeep/core";

const MOST_KEPT = 10_000;
const NAME = "ai-sdk";

/**
 * What the application's own approval functions say of calls, by call. It narrows what policy says and never
 * widens it.
 */
export class Verdicts {
  readonly #said = new Map<string, WatchdogVerdict>();

  get(callId: string): WatchdogVerdict | undefined {
    return this.#said.get(callId);
  }

  /** What is forgotten is asked for again before the call runs. */
  set(callId: string, verdict: WatchdogVerdict): void {
    if (this.#said.size >= MOST_KEPT) this.#said.clear();
    this.#said.set(callId, verdict);
  }

  delete(callId: string): void {
    this.#said.delete(callId);
  }

  /** The options of a session, with these verdicts beside its policy. */
  beside<Options extends PolicyOptions>(options: Options): Options {
    const { policy, authorizer, watchdogs = [] } = options;
    if (authorizer !== undefined) return { ...options, authorizer: this.#narrowing(authorizer) };
    const own: Watchdog = { name: NAME, judge: ({ id }) => this.get(id) ?? { action: "allow" } };
    if (policy === undefined) return { ...options, watchdogs: [...watchdogs, own] };
    const definition = "definition" in policy ? policy.definition : policy;
    return { ...options, policy: { ...definition, watchdogs: [...(definition.watchdogs ?? []), own] } };
  }

  #narrowing(authorizer: Authorizer): Authorizer {
    return {
      decide: async (call, circumstances) => {
        const decision = await authorizer.decide(call, circumstances);
        const verdict = this.get(call.id) ?? { action: "allow" };
        return narrowed(decision, verdict);
      },
    };
  }
}

function narrowed(decision: Decision, verdict: WatchdogVerdict): Decision {
  if (verdict.action === "allow" || decision.action === "deny") return decision;
  if (verdict.action === "ask" && decision.action === "ask") {
    return { ...decision, askedBy: [...(decision.askedBy ?? ["rules"]), NAME] };
  }
  const { action, reason } = verdict;
  return { action, layer: "watchdog", ground: NAME, reason, askedBy: [NAME] };
}
