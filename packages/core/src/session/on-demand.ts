import type { Tool } from "../contract/tool/tool.ts";
import type { SessionOptions, SessionPorts } from "./options.ts";
import type { Session } from "./session.ts";

/** To import it again takes as long as a call. */
let runtime: typeof import("./create-session.ts") | undefined;

/**
 * Creates a session: the tool calls of one agent, governed by a policy and recorded. With an `id` and a `store`, a
 * session of that id continues where it was: turns that wait or were interrupted can be resumed.
 *
 * The runtime is loaded with the first session, so that a package that only defines tools stays light.
 * @throws ToolkeepError `invalid_option`, `invalid_tool`, `invalid_rule`, `session_in_use`, `journal_broken`.
 *
 * @example
 * await using session = await createSession({
 *   tools: [weather],
 *   policy: ["ask net.fetch *.weather.example"],
 *   approver: terminalApprover(),
 * });
 * const result = await session.call("weather", { city: "Oslo" });
 */
export async function createSession<const Tools extends readonly Tool[] = readonly Tool[]>(
  options: SessionOptions<Tools> = {},
): Promise<Session<Tools>> {
  runtime ??= await import("./create-session.ts");
  return runtime.createSession(options);
}

/** The same with ports that a store normally provides. */
export async function createSessionWithPorts<const Tools extends readonly Tool[] = readonly Tool[]>(
  options: SessionOptions<Tools> & SessionPorts = {},
): Promise<Session<Tools>> {
  runtime ??= await import("./create-session.ts");
  return runtime.createSession(options);
}
