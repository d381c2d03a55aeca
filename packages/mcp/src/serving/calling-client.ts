import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type { OnProgress } from "./served-call.ts";

/** Who waits for the answer to one request, and what can be done with it meanwhile. */
export interface CallingClient {
  /** What it calls itself, harmless and bounded. */
  readonly name: string;
  /** The same for all requests of one client, as far as that can be told. */
  readonly id: object;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Aborts when it cancels, and when nobody is there any more to read the answer. */
  readonly gone: AbortSignal;
  /** When the request came in, in milliseconds since the epoch. */
  readonly arrivedAt: number;
  /**
   * How its person is asked. `form`: by a request of ours, while it waits. `retry`: the answer to its request says
   * what is wanted, and it comes again with that. `never`: it cannot ask anybody.
   */
  readonly asking: "form" | "retry" | "never";
  /** What it brings to a call that it was asked about, proven to be of our making. */
  readonly returning?: ReturningClient;
  /** Shows a form; for `form` alone. Rejects when the client cannot, or has gone. */
  showForm(form: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
  /** Missing when it does not want to be told. */
  readonly listen?: OnProgress;
}

/** A client that comes again with what its person said. */
export interface ReturningClient {
  readonly turnId: string;
  /** As the client sends them, by request; nothing is known of them. */
  readonly responses: Readonly<Record<string, unknown>>;
}
