import type { RegisteredTool } from "../contract/tool/tool.ts";
import { usableUnder } from "../policy/usable-tools.ts";
import { partsOf } from "./parent-context.ts";
import type { BaseSession } from "./session.ts";

/** The tools of a session of which its rules, and those of its parents, do not deny every call. */
export function usableTools(session: Pick<BaseSession, "childContext" | "tools">): readonly RegisteredTool[] {
  return usableUnder(partsOf(session.childContext("tools", {})).policies, session.tools());
}
