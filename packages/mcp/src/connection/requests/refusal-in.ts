import {
  OAuthClientFlowError,
  OAuthError,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { serverText } from "./request-failure.ts";

const DEEPEST = 6;

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
