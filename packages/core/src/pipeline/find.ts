import type { FoundCall, ToolCall } from "../contract/call.ts";
import { FAILURE_WORDS, failure } from "../results/runtime-failure.ts";
import { Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Name to tool, as this turn sees them. */
export function find(call: ToolCall, turn: Turn): FoundCall | Refused {
  const found = turn.tools.get(call.name);
  if (found !== undefined) return { id: call.id, request: call, found };
  return new Refused(
    "find",
    failure("not_found", FAILURE_WORDS.notFound(call.name), suggestion(call.name, turn)),
    {
      request: call,
    },
  );
}

function suggestion(name: string, turn: Turn): string | undefined {
  const wanted = name.toLowerCase();
  const near = turn.tools
    .list()
    .map((tool) => tool.name)
    .filter((other) => other.toLowerCase().includes(wanted) || wanted.includes(other.toLowerCase()))
    .slice(0, 3);
  return near.length === 0 ? undefined : `Did you mean ${near.join(", ")}?`;
}
