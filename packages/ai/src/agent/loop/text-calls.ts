import type { ToolCall } from "@toolkeep/core";
import type { ModelReply } from "../options/model-reply.ts";

/** How a call is written as text. It is what the instructions tell the model. */
const FORM = '{"tool": "<name>", "arguments": {<arguments>}}';

/** A line that is meant to be a call, well written or not. */
const MEANT = /^\{\s*"tool"\s*:/;

/**
 * Reads the calls of a model without function calling from its text: lines of JSON with a tool and its arguments. A
 * line that cannot be read is not guessed at: the model is told what is wrong, and nothing of the reply runs.
 */
export function readTextCalls(reply: ModelReply, step: number): ModelReply {
  const calls: ToolCall[] = [];
  for (const line of reply.text.split("\n").map((one) => one.trim())) {
    if (!MEANT.test(line)) continue;
    const read = readCall(line, `${step}-${calls.length + 1}`);
    if ("error" in read) return { ...reply, calls: [], malformed: answerTo(read.error) };
    calls.push(read);
  }
  return { ...reply, calls };
}

function readCall(line: string, id: string): ToolCall | { readonly error: string } {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return { error: `the line is not JSON (${(error as Error).message})` };
  }
  const { tool, arguments: args, ...rest } = value;
  if (typeof tool !== "string" || tool === "") return { error: '"tool" must be the name of a tool' };
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return { error: '"arguments" must be an object' };
  const [other] = Object.keys(rest);
  if (other !== undefined) return { error: `there is no field ${JSON.stringify(other)}` };
  return { id, name: tool, arguments: args as Readonly<Record<string, unknown>> };
}

function answerTo(error: string): string {
  return `Your call could not be read: ${error}. No call of this reply was run. Write each call as one line of JSON: ${FORM}`;
}
