import type { Variables } from "../contract/call/effect.ts";
import type { ToolResult } from "../contract/call/result.ts";
import type { EffectResolver } from "../contract/io/resolve-effects.ts";
import type { Tool, ToolContext } from "../contract/tool/tool.ts";
import { compileRequirements } from "../policy/rules/requirements.ts";
import { createRegistry } from "../registry/registry.ts";
import { argumentChecker } from "../schema/argument-checker.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { createSession } from "../session/create-session.ts";
import type { SessionOptions } from "../session/options.ts";

/** Options of `toolConformance`. */
export interface ConformanceOptions
  extends Pick<SessionOptions, "grantIo" | "resolver" | "skills" | "tasks"> {
  /** Arguments the tool must take. At least one. */
  readonly examples: readonly Readonly<Record<string, unknown>>[];
  /** Arguments it must refuse. */
  readonly refuses?: readonly Readonly<Record<string, unknown>>[];
  /** Arguments that keep it busy until it is told to stop. */
  readonly longRunning?: Readonly<Record<string, unknown>>;
  readonly variables?: Variables;
}

/**
 * Checks a tool against the contract: what it declares, its effects, what it returns, and
 * whether it stops when it is told to. Returns every error it finds as a message; none means that it conforms.
 */
export async function toolConformance(tool: Tool, options: ConformanceOptions): Promise<readonly string[]> {
  const declared = declaration(tool, Object.keys(options.variables ?? {}));
  if (declared.length > 0) return declared;
  const errors: string[] = [];
  for (const example of options.examples) {
    errors.push(
      ...(await effectErrors(tool, example, options)),
      ...(await execution(tool, example, options)),
    );
  }
  for (const bad of options.refuses ?? []) errors.push(...(await refusal(tool, bad)));
  if (options.examples.length === 0) errors.push("no example was given: nothing could be tried");
  if (options.longRunning !== undefined) errors.push(...(await stopping(tool, options.longRunning, options)));
  return errors;
}

function declaration(tool: Tool, variables: readonly string[]): string[] {
  const diagnostic = createRegistry({ variables }).register(tool);
  if (diagnostic !== undefined) return [`${diagnostic.path}: ${diagnostic.message}`];
  try {
    toJsonSchema(tool.inputSchema);
  } catch (error) {
    return [String(error)];
  }
  return tool.description.length < 10 ? ["/description: too short to tell a model when to call it"] : [];
}

/** For tools whose effects ask nothing of the resolver. */
const BY_WORDS: EffectResolver = {
  canonicalPath: async (path) => path,
  parseCommand: async () => ({ plain: false, reason: "no parser was given" }),
};

/** Effects and approval key must follow from the arguments alone, and stay within the requirements. */
async function effectErrors(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  options: ConformanceOptions,
): Promise<string[]> {
  const errors: string[] = [];
  const shown = JSON.stringify(args);
  if (
    tool.deriveApprovalKey !== undefined &&
    tool.deriveApprovalKey(args) !== tool.deriveApprovalKey({ ...args })
  ) {
    errors.push(`deriveApprovalKey(${shown}) gives another key every time`);
  }
  if (tool.effects === undefined) return errors;
  const port = options.resolver ?? BY_WORDS;
  const [first, second] = [await tool.effects(args, port), await tool.effects({ ...args }, port)];
  if (JSON.stringify(first) !== JSON.stringify(second))
    errors.push(`effects(${shown}) are others every time`);
  const requirements = compileRequirements(tool.requires, options.variables ?? {});
  for (const effect of first) {
    if (!requirements.covers(effect))
      errors.push(`effects(${shown}): ${effect.capability} ${effect.target} is not required`);
  }
  return errors;
}

async function execution(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  options: ConformanceOptions,
): Promise<string[]> {
  const result = await tried(tool, args, options);
  const shown = JSON.stringify(args);
  if (result.failure?.code === "tool_crashed")
    return [`execute(${shown}) threw something that is not a ToolFailure`];
  if (result.failure?.code === "tool_failed" && result.failure.message.endsWith("not JSON.")) {
    return [`execute(${shown}) returned something that is not JSON`];
  }
  const isRefused = ["invalid_arguments", "out_of_scope", "effects_failed"].includes(
    result.failure?.code ?? "",
  );
  return isRefused ? [`${shown} was refused: ${result.failure?.message}`] : [];
}

async function refusal(tool: Tool, args: Readonly<Record<string, unknown>>): Promise<string[]> {
  const check = await argumentChecker(tool.inputSchema);
  const outcome = await check(args);
  return outcome.error === undefined ? [`${JSON.stringify(args)} was not refused`] : [];
}

/** Whether the tool's own work ends once it is told to stop, not only the call. */
async function stopping(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  options: ConformanceOptions,
): Promise<string[]> {
  let hasEnded = false;
  const watched = Object.freeze({
    ...tool,
    async execute(given: unknown, ctx: ToolContext) {
      try {
        return await tool.execute(given, ctx);
      } finally {
        hasEnded = true;
      }
    },
  });
  const result = await tried(watched, args, options, 200);
  if (result.failure?.code !== "cancelled")
    return [`${JSON.stringify(args)} ended by itself: it was to be told to stop`];
  await new Promise((resolve) => setTimeout(resolve, 300));
  return hasEnded ? [] : ["it continued after it was told to stop"];
}

async function tried(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  options: ConformanceOptions,
  stopAfterMs?: number,
): Promise<ToolResult> {
  const { examples: _examples, refuses: _refuses, longRunning: _long, ...ports } = options;
  const rules = [{ permission: "*", action: "allow" }] as const;
  const session = await createSession({ tools: [tool], policy: rules, limits: { graceMs: 1_000 }, ...ports });
  const timer = stopAfterMs === undefined ? undefined : setTimeout(() => session.cancel(), stopAfterMs);
  const result = await session.call({ id: "conformance", name: tool.name, arguments: args });
  clearTimeout(timer);
  await session.close();
  return result;
}
