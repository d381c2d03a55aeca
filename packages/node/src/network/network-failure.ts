import { ToolFailure } from "@toolkeep/core";
import { BROKEN_CODING, CERTIFICATE, PASSING, TIMEOUTS } from "./error-codes.ts";

/** Whatever went wrong on the network, as a failure that names the host and nothing more of the address. */
export function networkFailure(error: unknown, host: string): ToolFailure {
  if (ToolFailure.isInstance(error)) return error;
  const cause = causeIn(error);
  if (cause !== undefined) return cause;
  const code = codeOf(error);
  const late = TIMEOUTS[code];
  if (late !== undefined)
    return new ToolFailure("timed_out", `${host} ${late}.`, { transient: true, cause: error });
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return new ToolFailure("too_large", `The headers that ${host} answers with are too large.`, {
      cause: error,
    });
  if (code === "ENOTFOUND" || code === "ENODATA")
    return new ToolFailure("unavailable", `No address was found for ${host}.`, {
      hint: "Check how the host is written.",
      cause: error,
    });
  if (CERTIFICATE.test(code))
    return new ToolFailure("unavailable", `The certificate of ${host} is not trusted (${code}).`, {
      cause: error,
    });
  if (BROKEN_CODING.test(code))
    return new ToolFailure("unavailable", `What ${host} sends cannot be decompressed (${code}).`, {
      cause: error,
    });
  return new ToolFailure("unavailable", `The exchange with ${host} broke off${code && ` (${code})`}.`, {
    transient: PASSING.has(code),
    cause: error,
  });
}

/** A failure of ours that came through a library. */
function causeIn(error: unknown): ToolFailure | undefined {
  const { cause } = error instanceof Error ? error : {};
  return ToolFailure.isInstance(cause) ? cause : undefined;
}

function codeOf(error: unknown): string {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return typeof code === "string" ? code : "";
}
