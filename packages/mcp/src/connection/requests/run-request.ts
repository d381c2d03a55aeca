import { type RequestOptions, UnauthorizedError } from "@modelcontextprotocol/client";
import { type Question, type QuestionAnswers, ToolFailure } from "@toolkeep/core";
import { HttpLink } from "../link/http-link.ts";
import { callClock } from "./call-clock.ts";
import type { WaitingRequest } from "./in-flight.ts";
import type { OpenedClient } from "./open-client.ts";
import { requestFailure } from "./request-failure.ts";

/** One request to a connected server. */
export interface RemoteRequest<Result> {
  readonly signal?: AbortSignal;
  /** The session that it belongs to. */
  readonly owner?: string;
  onProgress?(text: string, fraction?: number): void;
  ask?(questions: readonly Question[], inPlace?: true): Promise<QuestionAnswers>;
  send(options: RequestOptions): Promise<Result>;
}

export interface RequestLimits {
  readonly timeoutMs: number;
  readonly longestMs: number;
}

/** Our own clock pauses while the user is asked; the library's cannot. */
const NEVER_MS = 2 ** 31 - 1;

const MOST_LOGINS = 3;
const ALIVE_MS = 5_000;
const MOST_PROGRESS_TEXT = 500;

/** Sends a request and waits for its answer within its time limits. @throws ToolFailure for anything but an answer. */
export async function runRequest<Result>(
  opened: OpenedClient,
  request: RemoteRequest<Result>,
  limits: RequestLimits,
): Promise<Result> {
  const isCancelled = () => request.signal?.aborted === true;
  if (isCancelled()) throw cancelled(opened.name);
  const stop = new AbortController();
  const { signal } = stop;
  const cancel = () => stop.abort("It was cancelled.");
  request.signal?.addEventListener("abort", cancel, { once: true });
  let expired: "idle" | "longest" | undefined;
  const clock = callClock({
    ...{ idleMs: limits.timeoutMs, longestMs: limits.longestMs },
    expire: (what) => {
      expired = what;
      stop.abort("The time is up.");
    },
  });
  const waiting: WaitingRequest = {
    ...{ clock, signal, asked: 0 },
    ...(request.owner === undefined ? {} : { owner: request.owner }),
    ...(request.ask ? { ask: request.ask } : {}),
  };
  const remove = opened.inFlight.add(waiting);
  try {
    const result = await sendLoggedIn(opened, waiting, request);
    opened.health.answered();
    return result;
  } catch (error) {
    if (expired !== undefined) throw timedOut(opened, expired, limits);
    if (isCancelled()) throw cancelled(opened.name);
    throw requestFailure(error, opened.name, opened.link.error);
  } finally {
    request.signal?.removeEventListener("abort", cancel);
    clock.stop();
    remove();
  }
}

/** A server can require a login at any time; then the user logs in, and the request is sent again. */
async function sendLoggedIn<Result>(
  { link, inFlight }: OpenedClient,
  waiting: WaitingRequest,
  request: RemoteRequest<Result>,
): Promise<Result> {
  const options = optionsOf(waiting, request);
  for (let tries = 0; ; tries += 1) {
    const since = link instanceof HttpLink ? link.logins : 0;
    try {
      return await request.send(options);
    } catch (error) {
      if (!(error instanceof UnauthorizedError && link instanceof HttpLink) || tries >= MOST_LOGINS)
        throw error;
      // The user takes as long as it takes: the call is alive meanwhile.
      const alive = setInterval(() => request.onProgress?.("Waiting for the login."), ALIVE_MS);
      try {
        if (!(await inFlight.pausedWhile(() => link.authorize(since)))) throw error;
      } finally {
        clearInterval(alive);
      }
    }
  }
}

function optionsOf<Result>(
  { clock, signal }: WaitingRequest,
  { onProgress }: RemoteRequest<Result>,
): RequestOptions {
  return {
    signal,
    timeout: NEVER_MS,
    onprogress: ({ progress, total, message }) => {
      clock.received();
      const isKnown = total !== undefined && total > 0 && Number.isFinite(progress / total);
      const fraction = isKnown ? Math.min(1, Math.max(0, progress / total)) : undefined;
      onProgress?.((message ?? `${progress}`).slice(0, MOST_PROGRESS_TEXT), fraction);
    },
  };
}

function timedOut(
  { name, health }: OpenedClient,
  what: "idle" | "longest",
  limits: RequestLimits,
): ToolFailure {
  health.timedOut();
  const happened =
    what === "idle"
      ? `sent nothing for ${limits.timeoutMs / 1_000} seconds`
      : `did not answer within ${limits.longestMs / 1_000} seconds`;
  return new ToolFailure(
    "timed_out",
    `The server ${name} ${happened}. It was told to stop; whether it carried out the request is unknown.`,
    { hint: "Request less at once, or raise `timeoutMs` in its settings." },
  );
}

function cancelled(name: string): ToolFailure {
  return new ToolFailure("cancelled", `The request to the server ${name} was cancelled.`);
}
