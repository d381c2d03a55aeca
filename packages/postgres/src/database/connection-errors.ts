/** The server ends connections, is starting, or has no more of them. */
const STATES: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "53300"]);
const SYSTEM: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EHOSTUNREACH", "ENETUNREACH"],
]);
const MESSAGES =
  /connection terminated|connection error|client was closed|not queryable|timeout exceeded|connection is closed/i;

/** Whether the connection failed, and not the statement: the same statement may work later. */
export function isConnectionError(error: unknown): boolean {
  const { code = "", message = "" } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  return STATES.has(code) || SYSTEM.has(code) || code.startsWith("08") || MESSAGES.test(message);
}

/** Whether the statement lost against another transaction and can be tried again. */
export function isConflict(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: string };
  return code === "40001" || code === "40P01";
}
