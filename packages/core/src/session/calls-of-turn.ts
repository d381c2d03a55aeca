import type { ToolCall } from "../contract/call.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Journal } from "../contract/journal.ts";
import { JsonText } from "../contract/json-text.ts";
import type { Runtime } from "../pipeline/turn.ts";
import { readTurn } from "../pipeline/turn-record.ts";
import { failedResult, failure } from "../results/runtime-failure.ts";

interface Keepers {
  readonly runtime: Runtime;
  readonly journal: Journal;
}

/**
 * What the model asked for in a turn, with the arguments as they were. If those are gone, the calls
 * that are not settled are interrupted: nothing is run with arguments that nobody approved.
 * @throws ToolkeepError `turn_unknown`.
 */
export async function callsOfTurn(turnId: string, keepers: Keepers): Promise<readonly ToolCall[]> {
  const { ports, sessionId } = keepers.runtime;
  const kept = await ports.pending.get(`${sessionId}/${turnId}`);
  if (kept !== undefined) return JSON.parse(kept) as ToolCall[];
  for await (const event of keepers.journal.read({ turn: turnId, types: ["turn-start"] })) {
    if (event.type === "turn-start") return interrupt(turnId, event.calls, keepers);
  }
  throw new ToolkeepError("turn_unknown", `There is no turn ${JSON.stringify(turnId)} in this session.`);
}

/** Calls as they are kept; arguments that cannot be written down will be refused when they are checked. */
export function textOfCalls(calls: readonly ToolCall[]): string {
  return `[${calls.map(textOfCall).join(",")}]`;
}

function textOfCall(call: ToolCall): string {
  try {
    return JSON.stringify(call);
  } catch {
    return JSON.stringify({ id: call.id, name: call.name, arguments: "unreadable" });
  }
}

async function interrupt(
  turnId: string,
  calls: readonly { readonly id: string; readonly name: string }[],
  { journal, runtime }: Keepers,
): Promise<readonly ToolCall[]> {
  const { done } = await readTurn(journal, turnId);
  const why = failure(
    "interrupted",
    "Interrupted: its arguments are gone, so it was not run.",
    "Call it again.",
  );
  for (const { id, name } of calls) {
    if (done.has(id)) continue;
    runtime.recorder.write(turnId, {
      type: "call-refuse",
      callId: id,
      tool: name,
      stage: "execute",
      code: why.code,
      arguments: new JsonText("null"),
      result: JsonText.of(failedResult({ id, toolName: name }, why)),
    });
  }
  return calls.map(({ id, name }) => ({ id, name, arguments: {} }));
}
