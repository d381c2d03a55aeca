import { type ToolContext, ToolFailure } from "@toolkeep/core";

/**
 * Runs what somebody else wrote: a value, a promise, or an async iterable whose last value is the result.
 * What it throws is a failure with the words of the error: that is how these tools talk to a model.
 */
export async function runForeignTool(
  run: () => unknown,
  ctx: Pick<ToolContext, "update" | "abortSignal">,
): Promise<unknown> {
  try {
    const made = run();
    return isAsyncIterable(made) ? await lastOf(made, ctx) : await made;
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new ToolFailure("tool_failed", words === "" ? "The tool failed." : words, { cause: error });
  }
}

async function lastOf(
  made: AsyncIterable<unknown>,
  ctx: Pick<ToolContext, "update" | "abortSignal">,
): Promise<unknown> {
  let last: unknown;
  for await (const partial of made) {
    last = partial;
    if (ctx.abortSignal.aborted) break;
    ctx.update(partial);
  }
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
