import type { ToolCall } from "../../contract/stages/call.ts";
import { failure } from "../../results/runtime-failure.ts";
import { Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

const LONGEST_ID = 256;
const SLASH = 47;
const DELETE = 127;

/** Slashes are ours: they lead to what a call does inside. */
function isCallId(id: unknown): boolean {
  if (typeof id !== "string" || id.length === 0 || id.length > LONGEST_ID) return false;
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index);
    if (code < 32 || code === SLASH || code === DELETE) return false;
  }
  return true;
}

/** Every event of a call names it, and an id that is replaced could be that of another call. */
const HOLDS_SECRET = "The id of the call holds a secret. Give it another id.";

/** Are tools switched on, and can the call be told from others? */
export function admit(call: ToolCall, turn: Turn): ToolCall | Refused {
  const { limits, hooks, redactor } = turn.runtime;
  if (!limits.toolsEnabled) {
    hooks.notify("onToolsDisabled", { request: call }, turn);
    return new Refused("admit", failure("tools_disabled", "Tools are switched off in this session."), {
      request: call,
    });
  }
  if (turn.inside === undefined && !isCallId(call.id)) {
    const message = "The id of a call is 1 to 256 characters, without slashes and control characters.";
    return new Refused("admit", failure("invalid_call", message), { request: call });
  }
  if (typeof call.name !== "string" || call.arguments === undefined) {
    const message =
      "A call is { id, name, arguments }; calls in a provider's shape are read with toolCallFromOpenAi() and its like.";
    return new Refused("admit", failure("invalid_call", message), {
      request: { ...call, name: String(call.name) },
    });
  }
  if (redactor.find(call.id).length > 0)
    return new Refused("admit", failure("invalid_call", HOLDS_SECRET), { request: call });
  return call;
}
