import type { ToolCall } from "../contract/call.ts";
import { failure } from "../results/runtime-failure.ts";
import { Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Are tools switched on? */
export function admit(call: ToolCall, turn: Turn): ToolCall | Refused {
  const { settings, hooks } = turn.runtime;
  if (!settings.toolsEnabled) {
    hooks.toolsDisabled(call, turn);
    return new Refused("admit", failure("tools_disabled", "Tools are switched off in this session."), {
      request: call,
    });
  }
  return call;
}
