import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import { isCertainlyUnsent, STREAM_ENDED } from "../link/http-link.ts";

const MOST_TEXT = 2_000;
const MOST_QUOTED = 500;

const DEEPEST = 6;

/** Converts any error of a request into a failure that a model can read. `failure`: why the link was dropped. */
export function requestFailure(
  error: unknown,
  server: string,
  failure: ToolFailure | undefined,
): ToolFailure {
  if (ToolFailure.isInstance(error)) return error.code === "denied" ? unusable(error) : error;
  if (failure?.code === "too_large") return failure;
  if (isCertainlyUnsent(error) || isNotConnected(error)) return unsent(server, error);
  if (error instanceof ProtocolError)
    return error.code === STREAM_ENDED ? lost(server, error) : errorAnswer(error, server);
  if (error instanceof UnauthorizedError || error instanceof OAuthError)
    return notAuthenticated(server, error);
  if (error instanceof SdkHttpError) return badStatus(error, server);
  if (error instanceof SdkError) return brokenProtocol(error, server);
  return lost(server, error);
}

/** A refusal of the server is not a decision about the call. */
function unusable({ message, hint }: ToolFailure): ToolFailure {
  return new ToolFailure("unavailable", message, hint === undefined ? {} : { hint });
}

/** Text from a server, safe to show and of bounded length. */
export function serverText(text: string): string {
  const harmless = harmlessText(text);
  return harmless.length > MOST_TEXT ? `${harmless.slice(0, MOST_TEXT)} …` : harmless;
}

/** Text from a server in a failure that a model reads as ours: short, on one line and quoted. */
function quoted(text: string): string {
  const line = harmlessText(text).replaceAll(/\s+/g, " ").trim();
  return JSON.stringify(line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED)} …` : line);
}

function errorAnswer(error: ProtocolError, server: string): ToolFailure {
  return new ToolFailure(
    "tool_failed",
    `The server ${server} answered with error ${error.code}. Its message: ${quoted(error.message)}`,
    { cause: error },
  );
}

function badStatus(error: SdkHttpError, server: string): ToolFailure {
  const { status } = error;
  if (status === 401 || status === 403) return notAuthenticated(server, error);
  const isItsTrouble = status >= 500 || status === 429;
  return new ToolFailure(
    isItsTrouble ? "unavailable" : "tool_failed",
    `The server ${server} answered with HTTP status ${status}.`,
    { cause: error },
  );
}

function brokenProtocol(error: SdkError, server: string): ToolFailure {
  switch (error.code) {
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.RequestTimeout:
    case SdkErrorCode.SendFailed:
      return lost(server, error);
    case SdkErrorCode.CapabilityNotSupported:
      return new ToolFailure(
        "tool_failed",
        `The server ${server} requested something that is not available to servers, e.g. use of the model (sampling).`,
        { cause: error },
      );
    case SdkErrorCode.ListPaginationExceeded:
      return tooLongList(server);
    default:
      return new ToolFailure(
        "tool_failed",
        `The server ${server} sent an answer that violates the protocol: ${quoted(error.message)}`,
        { cause: error },
      );
  }
}

export function tooLongList(server: string): ToolFailure {
  return new ToolFailure("too_large", `The server ${server} returned a list that is too long.`);
}

function isNotConnected(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  return error instanceof Error && error.message === "Not connected";
}

function unsent(server: string, cause: unknown): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `The server ${server} could not be reached; the request was not sent.`,
    { hint: "It is retried automatically. Try later, or continue without it.", transient: true, cause },
  );
}

function lost(server: string, cause: unknown): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `The connection to the server ${server} was lost before it answered. Whether it carried out the request is unknown.`,
    { hint: "Check what was done before you retry.", cause },
  );
}

function notAuthenticated(server: string, cause: unknown): ToolFailure {
  return new ToolFailure("unavailable", `The server ${server} requires authentication.`, {
    hint: "The user has to log in to it, or correct its headers.",
    cause,
  });
}

/** The refusal that an attempt ended with; `undefined` if it can be retried. */
export function refusalIn(error: unknown): ToolFailure | undefined {
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < DEEPEST;
    at = at.cause, depth += 1
  ) {
    if (ToolFailure.isInstance(at) && at.code === "denied") return at;
    if (at instanceof OAuthError || at instanceof OAuthClientFlowError) return loginFailed(at);
    if (at instanceof UnauthorizedError) return notAuthenticatedYet(at);
    if (at instanceof SdkHttpError && (at.status === 401 || at.status === 403))
      return notAuthenticatedYet(at);
  }
  return undefined;
}

function loginFailed(cause: Error): ToolFailure {
  return new ToolFailure("denied", `The login failed: ${serverText(cause.message)}.`, {
    hint: "Connect again to retry.",
    cause,
  });
}

function notAuthenticatedYet(cause: Error): ToolFailure {
  return new ToolFailure("denied", "The server requires authentication.", {
    hint: "Log in to it, or add credentials to the `headers` of its entry.",
    cause,
  });
}
