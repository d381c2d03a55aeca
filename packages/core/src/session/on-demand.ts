import type { SessionOptions } from "./options.ts";
import type { Session } from "./session.ts";

/**
 * Opens a session. What it is made of is loaded with the first one: a package that only defines tools
 * does not load the runtime.
 */
export async function createSession(options?: SessionOptions): Promise<Session> {
  const runtime = await import("./create-session.ts");
  return runtime.createSession(options);
}

/**
 * Opens a session that an earlier process left, over its journal and its pending arguments. Turns
 * that were parked or cut off can be resumed.
 */
export async function reopenSession(
  options: SessionOptions & Required<Pick<SessionOptions, "sessionId" | "journal" | "pending">>,
): Promise<Session> {
  const runtime = await import("./create-session.ts");
  return runtime.reopenSession(options);
}
