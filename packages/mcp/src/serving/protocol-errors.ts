import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";

/** The error that a client receives for a request that cannot be answered. Never contains a stack or a path of ours. */
export async function inProtocol<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw protocolErrorOf(error);
  }
}

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function protocolErrorOf(error: unknown): unknown {
  if (ProtocolError.isInstance(error)) return error;
  if (ToolFailure.isInstance(error)) {
    const text = harmlessText(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
    return error.code === "not_found" || error.code === "invalid_call" || error.code === "invalid_arguments"
      ? invalidParams(text)
      : new ProtocolError(ProtocolErrorCode.InternalError, text);
  }
  const text =
    ToolkeepError.isInstance(error) && error.code === "session_closed"
      ? "This server is closing and accepts no more calls."
      : "The call could not be run because of an internal error of this server. It was not retried.";
  return new ProtocolError(ProtocolErrorCode.InternalError, text);
}
