import type { CallResult } from "../contract/call/result.ts";
import type { Arguments } from "../contract/policy/policy-call.ts";
import type { Tool, ToolTypes } from "../contract/tool/tool.ts";
import type { TurnOptions } from "./turn.ts";

type TypesOf<One> =
  One extends Tool<infer _Args, infer _Config, infer _State, infer Types> ? Types : ToolTypes;

/** What is known of the tool of that name. */
export type NamedTypes<Tools extends readonly Tool[], Name extends string> = Extract<
  TypesOf<Tools[number]>,
  { readonly name: Name }
>;

/** The names of the tools; `string` where the compiler does not know them. */
export type ToolNames<Tools extends readonly Tool[]> = TypesOf<Tools[number]>["name"];

/** Calls by name, typed by the schemas of the tools where the compiler knows them. */
export type SessionCalls<Tools extends readonly Tool[]> =
  string extends ToolNames<Tools> ? AnyCalls : TypedCalls<Tools>;

interface AnyCalls {
  /**
   * Runs one call and waits for its approval where one is needed.
   *
   * @example
   * const result = await session.call("weather", { city: "Oslo" });
   * if (result.ok) console.log(result.data);
   */
  call(name: string, args: Arguments, options?: TurnOptions): Promise<CallResult>;
}

interface TypedCalls<Tools extends readonly Tool[]> {
  /**
   * Runs one call and waits for its approval where one is needed. Arguments and data have the types of the tool's
   * schemas.
   *
   * @example
   * const result = await session.call("weather", { city: "Oslo" });
   * if (result.ok) console.log(result.data);
   */
  call<Name extends ToolNames<Tools>>(
    name: Name,
    args: Arguments & NamedTypes<Tools, Name>["input"],
    options?: TurnOptions,
  ): Promise<CallResult<NamedTypes<Tools, Name>["output"]>>;
}
