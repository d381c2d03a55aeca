import { kindOfMode, modeOfName } from "../call/mode.ts";
import type { Infer, InferInput, Schema } from "../call/schema-type.ts";
import { ToolkeepError } from "../values/error.ts";
import { CONTRACT_VERSION } from "../values/program.ts";
import { TOOL, type Tool, type ToolConfig, type ToolSpec } from "./tool.ts";
import { contractError, type WrittenTool } from "./tool-contract.ts";

/**
 * Makes a tool from what its author wrote. The types of arguments, results, configuration and state follow from the
 * schemas.
 * @throws ToolkeepError `invalid_tool` when the contract is not met.
 *
 * @example
 * const weather = defineTool({
 *   name: "weather",
 *   description: "The weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   outputSchema: z.object({ celsius: z.number() }),
 *   requires: { net: { hosts: ["api.weather.example"] } },
 *   execute: async ({ city }, { io }) => readWeather(await io.net.fetch(`https://api.weather.example/${city}`)),
 * });
 *
 * @example
 * // A call that must not happen twice, and rarely leaves its outcome unknown when its process is killed.
 * const pay = defineTool({
 *   name: "pay",
 *   description: "Pays an invoice.",
 *   inputSchema: z.object({ invoice: z.string() }),
 *   requires: { capabilities: ["payments.send"] },
 *   announces: true,
 *   async execute({ invoice }, ctx) {
 *     const account = await bank.accountFor(invoice);
 *     await ctx.acting();
 *     return bank.pay(account, { key: ctx.idempotencyKey });
 *   },
 *   async recover(_args, ctx) {
 *     const payment = await bank.find(ctx.idempotencyKey);
 *     return payment === undefined ? { happened: false } : { happened: true, value: payment };
 *   },
 * });
 */
export function defineTool<
  const Input extends Schema,
  const Config extends Schema = ToolConfigSchema,
  const State extends Schema = Schema,
  const Output extends Schema = Schema,
  const Name extends string = string,
>(
  spec: ToolSpec<Infer<Input>, Infer<Config> & ToolConfig, Infer<State>, InferInput<NoInfer<Output>>> & {
    readonly name: Name;
    readonly inputSchema: Input;
    readonly outputSchema?: Output;
    readonly configSchema?: Config;
    readonly stateSlot?: { readonly version: number; readonly schema?: State };
  },
): Tool<
  Infer<Input>,
  Infer<Config> & ToolConfig,
  Infer<State>,
  { readonly name: Name; readonly input: InferInput<Input>; readonly output: InferInput<Output> }
> {
  assertContract(spec);
  const mode = spec.mode ?? modeOfName(spec.name);
  // Made from another tool, it knows no more of its mode than that one.
  const isModeGuessed = spec.mode === undefined || (spec as Partial<Tool>).isModeGuessed === true;
  return Object.freeze({
    ...spec,
    [TOOL]: true,
    label: spec.label ?? spec.name,
    mode,
    isModeGuessed,
    kind: spec.kind ?? kindOfMode(mode),
    gated: spec.gated ?? true,
    idempotent: spec.idempotent ?? (mode === "read" && !isModeGuessed && spec.announces !== true),
    resumable: spec.resumable ?? false,
    executor: spec.remote === undefined ? "local" : "remote",
    contractVersion: spec.contractVersion ?? CONTRACT_VERSION,
    requiredCoreVersion: spec.requiredCoreVersion ?? "*",
  } as const);
}

type ToolConfigSchema = { readonly type: "object" };

function assertContract(spec: WrittenTool): void {
  const error = contractError(spec);
  if (error !== undefined) {
    throw new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(spec.name)}: ${error}`);
  }
}
