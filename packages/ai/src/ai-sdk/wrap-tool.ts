import { ToolFailure, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { truncationNote } from "@toolkeep/core/internal";
import type { ToolExecutionOptions } from "ai";
import type { CutNotes } from "../calls/cut-notes.ts";
import { type SdkTool, watchedSchema } from "../foreign/input-shape.ts";
import type { GovernedTool } from "./governed-calls.ts";
import { modelOutputOf, type ShownCall, withNote } from "./model-output.ts";

/** Runs one governed call and reports partial results. */
type Run = (
  input: unknown,
  options: ToolExecutionOptions<unknown>,
  onPartial?: (partial: unknown) => void,
) => Promise<ToolResult>;

export interface Wrapping {
  readonly run: Run;
  readonly streams: boolean;
  readonly notes: CutNotes;
  /** The SDK offers the tool to the model. */
  offered(): Promise<void>;
}

/** The same tool with a governed `execute`. The SDK passes plain data; the tool's own functions get the transformed value. */
export function wrapTool(
  { tool, shape, maxOutputBytes }: GovernedTool,
  { run: runCall, streams, notes, offered }: Wrapping,
): SdkTool {
  const run: Run = async (...call) => {
    const result = await runCall(...call);
    notes.keep(result);
    return result;
  };
  const made = async (input: unknown) => {
    const shaped = await shape.shape(input);
    return shaped.error === undefined ? shaped.value : input;
  };
  const execute = streams
    ? (input: unknown, options: ToolExecutionOptions<unknown>) => partialsOf(run, input, options)
    : async (input: unknown, options: ToolExecutionOptions<unknown>) =>
        notedOutputOf(await run(input, options));
  const toModelOutput = async (call: ShownCall) => {
    const shown = await modelOutputOf(tool, { ...call, input: await made(call.input) });
    const mayBeCut = isLarge(call.output, maxOutputBytes);
    return withNote(shown, hasNote(call.output) ? undefined : await notes.of(call.toolCallId, mayBeCut));
  };
  const { onInputAvailable } = tool;
  const told = async (given: { readonly input: unknown }) =>
    onInputAvailable?.({ ...given, input: await made(given.input) } as never);
  return {
    ...tool,
    inputSchema: watchedSchema(shape.forSdk, offered),
    execute,
    toModelOutput,
    ...(onInputAvailable === undefined ? {} : { onInputAvailable: told }),
  } as SdkTool;
}

/** Whether `execute` is an async generator function, which returns partial results. */
export function isStreaming(tool: SdkTool): boolean {
  return Object.prototype.toString.call(tool.execute) === "[object AsyncGeneratorFunction]";
}

/** A text carries its note itself. */
function hasNote(output: unknown): boolean {
  return typeof output === "string";
}

/** What was cut is at least half as large as it may be. */
function isLarge(output: unknown, maxOutputBytes: number): boolean {
  return typeof output === "object" && JSON.stringify(output).length > maxOutputBytes / 6;
}

/** The output for the SDK: a text that was cut ends with a note. */
function notedOutputOf(result: ToolResult): unknown {
  const data = outputOf(result);
  const note = truncationNote(result);
  return note !== undefined && typeof data === "string" ? `${data}\n${note}` : data;
}

/** The data of a result. @throws ToolFailure with the message for the model; the SDK turns it into a tool error. */
export function outputOf(result: ToolResult): unknown {
  if (result.ok) return result.data;
  throw new ToolFailure(result.failure?.code ?? "tool_failed", modelText(result));
}

async function* partialsOf(
  run: Run,
  input: unknown,
  options: ToolExecutionOptions<unknown>,
): AsyncGenerator<unknown> {
  const partials: unknown[] = [];
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const running = run(input, options, (partial) => {
    partials.push(partial);
    wake.resolve();
  }).finally(() => {
    isOver = true;
    wake.resolve();
  });
  // If the consumer stops, the failure must not stay unhandled.
  running.catch(() => {});
  while (!isOver) {
    await wake.promise;
    wake = Promise.withResolvers<void>();
    yield* partials.splice(0);
  }
  yield notedOutputOf(await running);
}
