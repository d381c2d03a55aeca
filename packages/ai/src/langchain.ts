import {
  type DynamicStructuredTool,
  type StructuredToolInterface,
  tool as structuredTool,
} from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { type JsonSchema, type Session, type Tool, ToolFailure } from "@toolkeep/core";
import { modelText, openai } from "@toolkeep/core/formats";
import { isStandardSchema } from "@toolkeep/core/internal";
import type { ToolDeclaration } from "./foreign/foreign-tool.ts";
import { assertDeclared, defineForeign, runForeignTool } from "./foreign/foreign-tool.ts";

/** Options of `fromLangChain`. */
export interface FromLangChainOptions {
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
}

/**
 * Converts structured tools of LangChain. The tool also validates its arguments itself.
 * @throws ToolkeepError `invalid_tool`.
 *
 * @example
 * const session = await createSession({ tools: await fromLangChain([search]), policy });
 */
export function fromLangChain(
  given: readonly StructuredToolInterface[],
  options: FromLangChainOptions = {},
): Promise<readonly Tool[]> {
  assertDeclared(
    options,
    given.map(({ name }) => name),
  );
  const made = given.map((one) =>
    defineForeign({
      name: one.name,
      description: one.description,
      inputSchema: toJsonSchema(one.schema) as JsonSchema,
      code: codeOf(one),
      declared: declaredOf(one, options.tools?.[one.name]),
      run: (args, ctx) => runForeignTool(() => one.invoke({ ...args }, { signal: ctx.abortSignal }), ctx),
    }),
  );
  return Promise.all(made);
}

/**
 * Converts the tools of a session to LangChain tools: the session governs every call and asks its own approver. A
 * refused or failed call returns a message, as LangChain agents expect.
 */
export function toLangChain(session: Session): DynamicStructuredTool[] {
  return session.tools().map((registered) => {
    const { name, description, parameters } = openai.definition(registered).function;
    const run = async (input: unknown, config: CallConfig) => {
      const id = config?.toolCall?.id ?? crypto.randomUUID();
      const signal = config?.signal;
      const call = { id, name, arguments: input as Readonly<Record<string, unknown>> };
      return modelText(await session.call(call, signal === undefined ? {} : { signal }));
    };
    return structuredTool(run, {
      name,
      description,
      schema: parameters as never,
    }) as unknown as DynamicStructuredTool;
  });
}

interface CallConfig {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/**
 * The tool applies its schema when it is invoked. The declared effects get the transformed arguments, so that rules match
 * what the tool does.
 */
function declaredOf(
  { schema }: StructuredToolInterface,
  declared: ToolDeclaration | undefined,
): ToolDeclaration | undefined {
  const effects = declared?.effects;
  if (effects === undefined || !isStandardSchema(schema)) return declared;
  const { validate } = schema["~standard"];
  return {
    ...declared,
    effects: async (args, resolver) => {
      const outcome = await validate(structuredClone(args));
      if (outcome.issues !== undefined)
        throw new ToolFailure("invalid_arguments", "The arguments do not match the schema of the tool.");
      return effects(outcome.value as typeof args, resolver);
    },
  };
}

/** The source of the tool, as far as it is accessible. */
function codeOf(one: StructuredToolInterface): string {
  const { func, _call } = one as { readonly func?: unknown; readonly _call?: unknown };
  return `${String(func)}\n${String(_call)}`;
}
