import type { PersonRequest, Session, ToolCall, ToolResult, TurnOutcome } from "@toolkeep/core";

/** The id of the single call of a served turn. */
const CALL_ID = "c";

/** Receives what happens while the call runs. */
export type OnProgress = (text: string | undefined, fraction: number | undefined) => void;

/** When to stop waiting for a change, whichever comes first. */
interface Patience {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly until?: number;
}

/** One call that clients wait for, in its own turn. It can park, and can outlive the client that made it. */
export class ServedCall {
  readonly turnId: string;
  readonly key: string;
  readonly #session: Session;
  readonly #controller = new AbortController();
  readonly #open = new Map<string, PersonRequest>();
  readonly listeners = new Set<OnProgress>();
  readonly forms = new OpenForms();
  /** Since when an identical call may continue it: it was answered `pending`, or its client disconnected. */
  leftSince: number | undefined;
  /** Whether one of its clients has a user who can be asked. */
  hasReachableApprover = false;
  #phase: "parked" | "running" | "done" = "parked";
  #followers = 0;
  #result: ToolResult | undefined;
  #error: unknown;
  #change = Promise.withResolvers<void>();

  constructor(session: Session, { turnId, key }: { readonly turnId: string; readonly key: string }) {
    this.#session = session;
    this.turnId = turnId;
    this.key = key;
  }

  /** Starts a new turn. */
  start(call: Pick<ToolCall, "name" | "arguments">): void {
    const { turnId, signal } = this.#turn;
    // A call that runs when this process ends loses its server too: only one that waits for an answer can continue.
    const options = { id: turnId, signal, keepArguments: "parked" } as const;
    this.#run(this.#session.run([{ id: CALL_ID, ...call }], options));
  }

  /** Resumes a parked turn. */
  resume(): void {
    const { turnId, signal } = this.#turn;
    // Requests that are still unanswered are raised again.
    this.#open.clear();
    this.#run(this.#session.resume(turnId, { signal }));
  }

  cancel(): void {
    this.#controller.abort();
  }

  get isDone(): boolean {
    return this.#phase === "done";
  }

  /** All requests are answered: it may continue. */
  get isReady(): boolean {
    return this.#phase === "parked" && (this.#open.size === 0 || this.expiresAt <= Date.now());
  }

  /** It only waits for an answer. */
  get isWaiting(): boolean {
    return this.#phase !== "done" && this.#open.size > 0;
  }

  /** It waits in the middle of its work, and continues in this process as soon as it is answered. */
  get hasBegun(): boolean {
    return this.#phase === "running";
  }

  get requests(): readonly PersonRequest[] {
    return [...this.#open.values()];
  }

  /** When the first of its requests expires. */
  get expiresAt(): number {
    const times = this.requests.map((request) => ("expiresAt" in request ? request.expiresAt : undefined));
    return Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
  }

  get followers(): number {
    return this.#followers;
  }

  /** @throws the error that prevented the turn from running. */
  get result(): ToolResult {
    if (this.#result === undefined) throw this.#error;
    return this.#result;
  }

  follow(): () => void {
    this.#followers += 1;
    this.leftSince = undefined;
    return () => {
      this.#followers -= 1;
    };
  }

  /** An approver must be asked; `signal` aborts when that is no longer needed. */
  raise(request: PersonRequest, signal?: AbortSignal): void {
    this.#open.set(request.id, request);
    signal?.addEventListener("abort", () => this.answered(request.id), { once: true });
    this.#tell();
  }

  answered(requestId: string): void {
    if (!this.#open.delete(requestId)) return;
    this.forms.close(requestId);
    this.#tell();
  }

  /** Notifies the followers of a change. */
  listen(text: string | undefined, fraction: number | undefined): void {
    for (const listener of this.listeners) listener(text, fraction);
  }

  /** Resolves at the next change, or when the patience is over. */
  async changed({ signal, until }: Patience): Promise<void> {
    if (signal.aborted) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    signal.addEventListener("abort", end, { once: true });
    const left = until === undefined ? Number.POSITIVE_INFINITY : until - Date.now();
    const timer = Number.isFinite(left)
      ? setTimeout(end, Math.min(Math.max(left, 0), LONGEST_TIMER_MS))
      : undefined;
    try {
      await Promise.race([this.#change.promise, over]);
    } finally {
      signal.removeEventListener("abort", end);
      clearTimeout(timer);
    }
  }

  get #turn() {
    return { turnId: this.turnId, signal: this.#controller.signal };
  }

  #run(turn: Promise<TurnOutcome>): void {
    this.#phase = "running";
    turn.then(
      (outcome) => {
        if (outcome.status === "waiting") this.#phase = "parked";
        else this.#end(outcome.results[0], undefined);
        this.#tell();
      },
      (error: unknown) => {
        this.#end(undefined, error);
        this.#tell();
      },
    );
  }

  #end(result: ToolResult | undefined, error: unknown): void {
    this.#phase = "done";
    this.#result = result;
    this.#error = error;
    this.forms.closeAll();
  }

  #tell(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Forms that clients currently show, by request and client. */
class OpenForms {
  readonly #forms = new Map<string, Map<object, AbortController>>();

  has(requestId: string, client: object): boolean {
    return this.#forms.get(requestId)?.has(client) === true;
  }

  /** Adds a form; the signal aborts when it is no longer needed. */
  open(requestId: string, client: object): AbortSignal {
    const form = new AbortController();
    const shown = this.#forms.get(requestId) ?? new Map<object, AbortController>();
    this.#forms.set(requestId, shown.set(client, form));
    return form.signal;
  }

  /** The form was closed. */
  forget(requestId: string, client: object): void {
    this.#forms.get(requestId)?.delete(client);
  }

  /** The request no longer needs an answer. */
  close(requestId: string): void {
    for (const form of this.#forms.get(requestId)?.values() ?? []) form.abort();
    this.#forms.delete(requestId);
  }

  /** The client has disconnected. */
  closeOf(client: object): void {
    for (const shown of this.#forms.values()) {
      shown.get(client)?.abort();
      shown.delete(client);
    }
  }

  closeAll(): void {
    for (const requestId of [...this.#forms.keys()]) this.close(requestId);
  }
}
