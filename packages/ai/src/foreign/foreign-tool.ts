import {
  defineTool,
  type Schema,
  type Tool,
  type ToolContext,
  ToolFailure,
  type ToolSpec,
} from "@toolkeep/core";
import { assertKnownKeys, errorText, withRegistration } from "@toolkeep/core/internal";
import { knownDigest } from "./known-digest.ts";

type Declared =
  | "requires"
  | "effects"
  | "labels"
  | "mode"
  | "kind"
  | "idempotent"
  | "recover"
  | "actionArgument"
  | "timeoutMs";

/**
 * Declares what a tool of another framework requires and what its calls do. Every call of a
 * tool without a declaration asks, unless a rule on its name allows it.
 */
export interface ToolDeclaration<Args = Readonly<Record<string, unknown>>>
  extends Partial<
    Pick<ToolSpec<Args, unknown, unknown>, Declared | "label" | "maxOutput" | "deriveApprovalKey">
  > {
  /** Its `execute` returns an async iterable, although it is not an async generator function. */
  readonly streams?: true;
}

/** Refuses options that do not exist, and declarations of tools that do not exist. @throws ToolkeepError `invalid_option`. */
export function assertDeclared(
  options: { readonly tools?: Readonly<Record<string, unknown>> | undefined },
  names: Iterable<string>,
  known: readonly string[] = ["tools"],
): void {
  assertKnownKeys(options, known, "option");
  assertKnownKeys(options.tools ?? {}, names, "tool in `tools`");
}

/** A tool that is not executed here and cannot be governed. */
export interface UngovernedTool {
  readonly name: string;
  readonly why: string;
}

const ORIGIN = { layer: "code", source: "ai-sdk" } as const;

/** What tools of all frameworks have in common. */
export interface ForeignTool {
  readonly name: string;
  readonly description: unknown;
  readonly inputSchema: Schema;
  /** The source code if it is accessible: approvals are bound to it. */
  readonly code?: string;
  readonly declared: ToolDeclaration | undefined;
  run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): unknown;
}

/** Converts the tool. Without declared requirements, every call asks. @throws ToolkeepError `invalid_tool`. */
export async function defineForeign(foreign: ForeignTool): Promise<Tool> {
  const { name, description, inputSchema, code, declared = {}, run } = foreign;
  const { streams: _streams, requires = "unknown", ...said } = declared;
  const isSaid = typeof description === "string" && description.trim() !== "";
  const tool = defineTool({
    ...said,
    name,
    description: isSaid ? description : `The tool ${name}.`,
    inputSchema,
    requires,
    // A name that suggests reading is not enough: repeatability must be declared.
    idempotent: declared.idempotent ?? false,
    ...(code === undefined ? {} : { codeHash: await knownDigest(code) }),
    execute: (args, ctx) => run(args as Readonly<Record<string, unknown>>, ctx as ToolContext),
  }) as Tool;
  return withRegistration(tool, { origin: ORIGIN });
}

/**
 * Runs a tool of another framework, which returns a value, a promise, or an async iterable whose last value is the
 * result. An error becomes a failure with its message, because such tools report to the model that way.
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
    const message = errorText(error);
    throw new ToolFailure("tool_failed", message === "" ? "The tool failed." : message, { cause: error });
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
