import type { Failure } from "../../contract/call/result.ts";
import type { FoundCall, ToolCall } from "../../contract/stages/call.ts";
import { FAILURE_MESSAGES, failure } from "../../results/runtime-failure.ts";
import { Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

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
    failure("not_found", FAILURE_MESSAGES.notFound(call.name), suggestion(call.name, turn)),
    {
      request: call,
    },
  );
}

const CANCELLED = failure("cancelled", FAILURE_MESSAGES.cancelled);

const MOST_COMPARED = 5_000;

function suggestion(name: string, turn: Turn): string | undefined {
  const wanted = name.toLowerCase();
  const near = turn.tools
    .list()
    .slice(0, MOST_COMPARED)
    .map((tool) => ({ name: tool.name, distance: distanceTo(tool.name.toLowerCase(), wanted) }))
    .filter(({ distance }) => distance <= 2)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3);
  return near.length === 0 ? undefined : `Did you mean ${near.map((tool) => tool.name).join(", ")}?`;
}

/** How many letters differ; a name within the other is near. */
function distanceTo(known: string, wanted: string): number {
  const [short, long] = known.length < wanted.length ? [known, wanted] : [wanted, known];
  if (short.length > 2 && long.includes(short)) return 1;
  if (long.length - short.length > 2 || long.length > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: short.length + 1 }, (_, index) => index);
  for (let at = 1; at <= long.length; at += 1) {
    const next = [at];
    for (let index = 1; index <= short.length; index += 1) {
      const change = (row[index - 1] as number) + (long[at - 1] === short[index - 1] ? 0 : 1);
      next.push(Math.min((next[index - 1] as number) + 1, (row[index] as number) + 1, change));
    }
    row = next;
  }
  return row[short.length] as number;
}
