import type { CallResult, ToolResult } from "../contract/call/result.ts";
import type { Arguments } from "../contract/policy/policy-call.ts";
import type { Tool, ToolTypes } from "../contract/tool/tool.ts";
import type { TurnOptions } from "./turn.ts";

type TypesOf<One> =
  One extends Tool<infer _Args, infer _Config, infer _State, infer Types> ? Types : ToolTypes;

/** What the compiler knows of tools whose names it knows. */
type KnownTypes<Types extends ToolTypes> = Types extends ToolTypes
  ? string extends Types["name"]
    ? never
    : Types
  : never;

/** What is known of the tool of that name. */
export type NamedTypes<Tools extends readonly Tool[], Name extends string> = Extract<
  KnownTypes<TypesOf<Tools[number]>>,
  { readonly name: Name }
>;

/** The names of the tools; `string` where the compiler does not know them. */
export type ToolNames<Tools extends readonly Tool[]> = TypesOf<Tools[number]>["name"];

/** The names that the compiler knows, also among tools that it does not know. */
type KnownNames<Tools extends readonly Tool[]> = KnownTypes<TypesOf<Tools[number]>>["name"];

/** Calls by name, typed by the schemas of the tools where the compiler knows them. */
export type SessionCalls<Tools extends readonly Tool[]> =
  string extends ToolNames<Tools>
    ? [KnownNames<Tools>] extends [never]
      ? AnyCalls
      : MixedCalls<Tools>
    : TypedCalls<Tools>;

/** A result of one of the tools: where all names are known, `ok` and `toolName` tell the type of the data. */
export type SessionResult<Tools extends readonly Tool[]> =
  string extends ToolNames<Tools>
    ? ToolResult
    :
        | { [Name in ToolNames<Tools>]: NamedResult<Tools, Name> }[ToolNames<Tools>]
        | (ToolResult<undefined> & { readonly ok: false });

type NamedResult<Tools extends readonly Tool[], Name extends string> = CallResult<
  NamedTypes<Tools, Name>["output"]
> & { readonly toolName: Name };

/** Some tools are known by their names, others only at run time. */
interface MixedCalls<Tools extends readonly Tool[]> {
  /**
   * Runs one call and waits for its approval where one is needed. Of a tool whose name the compiler knows, arguments and
   * data have the types of its schemas.
   *
   * @example
   * const result = await session.call("weather", { city: "Oslo" });
   * if (result.ok) console.log(result.data);
   */
  call<Name extends KnownNames<Tools> | (string & {})>(
    name: Name,
    args: Name extends KnownNames<Tools> ? Arguments & NamedTypes<Tools, Name>["input"] : Arguments,
    options?: TurnOptions,
  ): Promise<CallResult<Name extends KnownNames<Tools> ? NamedTypes<Tools, Name>["output"] : unknown>>;
}

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
