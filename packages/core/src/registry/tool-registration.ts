import type { Tool } from "../contract/tool/tool.ts";
import type { Origin } from "../contract/values/origin.ts";

/** How a tool is registered: under which origin, and whether its name is locked to its shape. */
export interface RegisterOptions {
  /** Where the tool comes from. Default: the host application's code. */
  readonly origin?: Origin;
  /** Only for bundled tools: a tool of another shape cannot be registered under the same name. */
  readonly locked?: boolean;
}

const REGISTRATION = Symbol.for("toolkeep.registration");

/**
 * Returns a copy of the tool that carries its own registration, so that a plain array of tools keeps origins and
 * locks: `createSession({ tools })`. Options given to `register` override it. A copy of the tool made with spread
 * or `defineTool` does not carry it.
 */
export function withRegistration(tool: Tool, registration: RegisterOptions): Tool {
  return Object.freeze(
    Object.defineProperty({ ...tool }, REGISTRATION, { value: Object.freeze({ ...registration }) }),
  );
}

/** The registration a tool carries; empty for a tool that carries none. */
export function registrationOf(tool: Tool): RegisterOptions {
  return (tool as { readonly [REGISTRATION]?: RegisterOptions })[REGISTRATION] ?? {};
}
