import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type { OnProgress } from "./served-call.ts";

/** The client that waits for the answer to one request, and how its user can be asked meanwhile. */
export interface CallingClient {
  /** The name it gives itself, escaped and bounded. */
  readonly name: string;
  /** Equal for all requests of one client, as far as that can be determined. */
  readonly id: object;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Aborts when it cancels, and when it can no longer receive the answer. */
  readonly gone: AbortSignal;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly arrivedAt: number;
  /**
   * How its user is asked. `form`: by a request from us, while it waits. `retry`: our answer says what is needed, and
   * the client sends the request again with that. `never`: it cannot ask its user.
   */
  readonly asking: "form" | "retry" | "never";
  /** What it sends back for a call that it was asked about, verified to be of our making. */
  readonly returning?: ReturningClient;
  /** Shows a form; only for `form`. Rejects if the client cannot, or has disconnected. */
  showForm(form: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
  /** Missing if it does not want progress. */
  readonly listen?: OnProgress;
}

/** A client that returns with its user's answers. */
export interface ReturningClient {
  readonly turnId: string;
  /** As the client sent them, by request; not validated yet. */
  readonly responses: Readonly<Record<string, unknown>>;
}
