import type { FetchLike } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import { type BodyWatch, boundedBody } from "./bounded-body.ts";

export interface FetchOptions {
  /** The address of the server. */
  readonly url: URL;
  /** Sent to the server's origin only. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  readonly watch: FetchWatch;
  /** @throws ToolFailure for a forbidden address outside the server's origin. */
  checkElsewhere(url: URL): void;
}

interface FetchWatch extends BodyWatch {
  /** The server requires a login. Awaited before the response is processed. */
  challenged(): Promise<void>;
  /** The server could not be reached at all. */
  lost(reason: string): void;
}

/** The `fetch` of the protocol library: bounded, without redirects to other origins, headers for the server's origin only. */
export function boundedFetch({ url, headers, fetch, watch, checkElsewhere }: FetchOptions): FetchLike {
  return async (target, init = {}) => {
    const address = new URL(target);
    const isHome = address.origin === url.origin;
    if (!isHome) checkElsewhere(address);
    const sent = new Headers(init.headers);
    if (isHome)
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    const response = await fetch(address, { ...init, headers: sent, redirect: "manual" }).catch(
      (error: unknown) => {
        if (init.signal?.aborted !== true && isHome) watch.lost(reasonOf(error));
        throw error;
      },
    );
    if (isHome && (response.status === 401 || response.status === 403)) await watch.challenged();
    return boundedBody(response, watch);
  };
}

/** System error codes which mean that no byte of the request arrived. */
const UNSENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Whether a request certainly did not reach the server. */
export function isUnsent(error: unknown): boolean {
  return UNSENT.has(codeOf(error) ?? "");
}

function reasonOf(error: unknown): string {
  if (ToolFailure.isInstance(error)) return error.message;
  return codeOf(error) ?? errorText(error);
}

/** `fetch` puts the system's error code into the cause. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if (at instanceof AggregateError) return codeOf(at.errors[0]);
  }
  return undefined;
}
