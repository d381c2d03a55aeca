import { ToolFailure, type ToolResult, toolOutput } from "../contract/call/result.ts";
import type { Journal } from "../contract/store/store.ts";
import type { Tool } from "../contract/tool/tool.ts";

/** What tools once returned, to be returned again. Plain data: it may be kept in a file with a test. */
export interface Cassette {
  readonly calls: readonly CassetteCall[];
}

/** A recorded call. */
export interface CassetteCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly result: ToolResult;
}

/** Records every executed call of a journal. Secrets were taken out before they got there. */
export async function recordCassette(journal: Journal): Promise<Cassette> {
  const started = new Map<string, unknown>();
  const calls: CassetteCall[] = [];
  for await (const event of journal.read()) {
    const key = "callId" in event ? `${event.turn}/${event.callId}` : "";
    if (event.type === "call-start") started.set(key, event.arguments.value);
    if (event.type !== "call-end") continue;
    calls.push({ tool: event.tool, arguments: started.get(key), result: event.result.value as ToolResult });
  }
  return { calls };
}

/** The same tools, with what the cassette holds in the place of their work. A call it does not know fails. */
export function playCassette(tools: readonly Tool[], cassette: Cassette): readonly Tool[] {
  return tools.map((tool) =>
    Object.freeze({ ...tool, execute: (args: unknown) => play(tool.name, args, cassette) }),
  );
}

function play(tool: string, args: unknown, { calls }: Cassette): unknown {
  const wanted = JSON.stringify(args);
  const known = calls.find((call) => call.tool === tool && JSON.stringify(call.arguments) === wanted);
  if (known === undefined)
    throw new ToolFailure("not_found", `The cassette has no call of ${tool} with ${wanted}.`);
  const { ok, data, failure, content, details } = known.result;
  if (!ok) throw new ToolFailure(failure?.code ?? "tool_failed", failure?.message ?? "failed");
  return toolOutput({
    ...(data === undefined ? {} : { data }),
    ...(content === undefined ? {} : { content }),
    ...(details === undefined ? {} : { details }),
  });
}
