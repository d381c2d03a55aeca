import { setImmediate } from "node:timers/promises";
import { type PersonRequest, type Session, ToolFailure, type ToolResult } from "@toolkeep/core";
import { ApprovalForms, type ApprovalFormsOptions } from "./approval-forms.ts";
import { callKey, keyOfTurn, newTurnId, turnOfRequest } from "./call-key.ts";
import type { CallingClient } from "./calling-client.ts";
import { isSignedOnly } from "./person-form.ts";
import { ServedCall } from "./served-call.ts";

export interface ServedCallsOptions extends Omit<ApprovalFormsOptions, "find"> {
  /** How long a client waits for an answer. */
  readonly waitMs: number;
  beforeCall?(): Promise<void>;
}

/** What a client receives for its call. */
export type Followed =
  | { readonly kind: "settled"; readonly result: ToolResult }
  /** The client has to ask its user, and to send the call again. */
  | { readonly kind: "asked"; readonly turnId: string; readonly requests: readonly PersonRequest[] }
  /** An approver must answer first, and did not in time. */
  | { readonly kind: "pending"; readonly requests: readonly PersonRequest[]; readonly hasBegun: boolean }
  /** The client has disconnected: the answer is not read. */
  | { readonly kind: "left" };

const MOST_LEFT = 1_000;

/** A call that waited for an approver when an earlier process ended. */
interface ParkedCall {
  readonly turnId: string;
  readonly key: string;
  /** What is still unanswered. */
  readonly requests: readonly PersonRequest[];
}

/**
 * Runs the calls of all clients, each in its own turn. A call that waits for an answer outlives its client: an
 * identical call continues it, and it is executed once. It never continues while no client waits for it.
 */
export class ServedCalls {
  readonly #session: Session;
  readonly #waitMs: number;
  readonly #beforeCall: ServedCallsOptions["beforeCall"];
  readonly #people: ApprovalForms;
  readonly #calls = new Map<string, ServedCall>();
  #restored: Promise<void> | undefined;

  constructor(session: Session, { waitMs, beforeCall, ...options }: ServedCallsOptions) {
    this.#session = session;
    this.#waitMs = waitMs;
    this.#beforeCall = beforeCall;
    this.#people = new ApprovalForms(session, { ...options, find: (turnId) => this.#calls.get(turnId) });
  }

  /** Runs a call, or continues one that waited for it to be repeated. */
  async run(
    call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
    client: CallingClient,
  ): Promise<Followed> {
    this.#restored ??= this.#restore();
    await this.#restored;
    await this.#beforeCall?.();
    const key = callKey(call.name, call.arguments);
    const known = await this.#known(key, client);
    const served = known ?? this.#open({ turnId: newTurnId(key), key, requests: [] });
    served.hasReachableApprover ||= client.asking !== "never";
    const release = this.#attach(served, client);
    try {
      if (known === undefined) served.start(call);
      else await this.#people.welcome(served, client);
      const followed = await this.#follow(served, client);
      // Messages sent before the end are still on their way, and clients ignore them after the end.
      if (client.listen !== undefined) await setImmediate();
      return followed;
    } finally {
      release();
      if (served.followers === 0 && served.leftSince === undefined) this.#calls.delete(served.turnId);
    }
  }

  /** Accepts no more requests. Running calls end with the session. */
  close(): void {
    this.#people.close();
    for (const call of this.#calls.values()) call.forms.closeAll();
  }

  async #follow(call: ServedCall, client: CallingClient): Promise<Followed> {
    for (;;) {
      if (call.isDone) return { kind: "settled", result: call.result };
      if (call.isReady) call.resume();
      else if (call.isWaiting && client.gone.aborted) return this.#leftBy(client, call);
      else if (call.isWaiting) {
        const followed = await this.#await(call, client);
        if (followed !== undefined) return followed;
      } else if (client.signal.aborted) {
        if (call.followers === 1) call.cancel();
        return { kind: "left" };
      } else await call.changed({ signal: client.signal });
    }
  }

  /** Asks an approver, and waits for the answer as long as the client can wait. */
  async #await(call: ServedCall, client: CallingClient): Promise<Followed | undefined> {
    const deadline = client.arrivedAt + this.#waitMs;
    const { turnId } = call;
    const stop = this.#people.attend();
    try {
      await this.#people.ask(call, client);
      const { requests, hasBegun } = call;
      if (!call.isWaiting || call.isReady) return undefined;
      if (client.gone.aborted) return this.#leftBy(client, call);
      const shown = requests.filter((request) => !isSignedOnly(request));
      if (client.asking === "retry" && shown.length > 0)
        return this.#remove(call, { kind: "asked", turnId, requests: shown });
      if (Date.now() >= deadline) return this.#remove(call, { kind: "pending", requests, hasBegun });
      await call.changed({ signal: client.gone, until: Math.min(deadline, call.expiresAt) });
      return undefined;
    } finally {
      stop();
    }
  }

  #leftBy({ id }: CallingClient, call: ServedCall): Followed {
    call.forms.closeOf(id);
    return this.#remove(call, { kind: "left" });
  }

  /** The client stops waiting. The call stays for a client that repeats it. */
  #remove(call: ServedCall, followed: Followed): Followed {
    if (call.followers > 1) return followed;
    // A client that was asked returns by itself; another may continue the call only if it does not.
    call.leftSince = Date.now() + (followed.kind === "asked" ? this.#waitMs : 0);
    const left = [...this.#calls.values()].filter(({ leftSince }) => leftSince !== undefined);
    for (const { turnId } of left.slice(0, Math.max(0, left.length - MOST_LEFT))) this.#calls.delete(turnId);
    return followed;
  }

  /** @throws ToolFailure `invalid_call` for a client that returns with another call than it was asked about. */
  async #known(key: string, { returning }: CallingClient): Promise<ServedCall | undefined> {
    if (returning !== undefined) {
      const { turnId } = returning;
      if (keyOfTurn(turnId) !== key)
        throw new ToolFailure("invalid_call", "This is not the call that the user was asked about.");
      // A finished turn returns its earlier result, and does nothing again.
      return this.#calls.get(turnId) ?? this.#open({ turnId, key, requests: await this.#waitingIn(turnId) });
    }
    const now = Date.now();
    return this.#calls
      .values()
      .find((one) => one.key === key && one.followers === 0 && (one.leftSince ?? Infinity) <= now);
  }

  async #waitingIn(turnId: string): Promise<readonly PersonRequest[]> {
    return (await this.#session.waiting()).filter(({ id }) => id.startsWith(`${turnId}/`));
  }

  async #restore(): Promise<void> {
    for (const parked of await parkedCalls(this.#session)) this.#open(parked).leftSince = 0;
  }

  #open({ turnId, key, requests }: ParkedCall): ServedCall {
    const call = new ServedCall(this.#session, { turnId, key });
    for (const request of requests) call.raise(request);
    this.#calls.set(turnId, call);
    return call;
  }

  #attach(call: ServedCall, { listen }: CallingClient): () => void {
    const unfollow = call.follow();
    if (listen === undefined) return unfollow;
    const unwatch = this.#people.watch();
    call.listeners.add(listen);
    return () => {
      call.listeners.delete(listen);
      unwatch();
      unfollow();
    };
  }
}

/** The unfinished served calls in the journal that wait for an answer; oldest first. */
async function parkedCalls(session: Pick<Session, "journal" | "waiting">): Promise<readonly ParkedCall[]> {
  const turns = new Set<string>();
  const types = ["approval-request", "question-request", "turn-park", "turn-end"] as const;
  for await (const { type, turn } of session.journal.read({ types, standing: true })) {
    if (type === "turn-end") turns.delete(turn);
    else turns.add(turn);
  }
  const ours = [...turns].flatMap((turnId) => {
    const key = keyOfTurn(turnId);
    return key === undefined ? [] : [{ turnId, key }];
  });
  if (ours.length === 0) return [];
  const waiting = await session.waiting();
  return ours.map((call) => ({
    ...call,
    requests: waiting.filter(({ id }) => turnOfRequest(id) === call.turnId),
  }));
}
