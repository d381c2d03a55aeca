import type { FoundCall, ToolCall } from "../contract/call.ts";
import type { Failure } from "../contract/failure.ts";
import { FAILURE_WORDS, failure } from "../results/runtime-failure.ts";
import { Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Name to tool, as this turn sees them; unless the person has cut the turn off. */
export function find(call: ToolCall, turn: Turn): FoundCall | Refused {
  const found = turn.tools.get(call.name);
  if (found !== undefined) {
    const cut = turn.steps.replayed?.(`${call.id}/cut`) as Failure | undefined;
    if (cut !== undefined) return new Refused("find", cut, { request: call, found });
    if (turn.cancellation.isCancelled) return new Refused("find", CANCELLED, { request: call, found });
    return { id: call.id, request: call, found };
  }
  return new Refused(
    "find",
    failure("not_found", FAILURE_WORDS.notFound(call.name), suggestion(call.name, turn)),
    {
      request: call,
    },
  );
}

const CANCELLED = failure("cancelled", FAILURE_WORDS.cancelled);

function suggestion(name: string, turn: Turn): string | undefined {
  const wanted = name.toLowerCase();
  const near = turn.tools
    .list()
    .map((tool) => tool.name)
    .filter((other) => other.toLowerCase().includes(wanted) || wanted.includes(other.toLowerCase()))
    .slice(0, 3);
  return near.length === 0 ? undefined : `Did you mean ${near.join(", ")}?`;
}
