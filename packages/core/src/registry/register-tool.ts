import type { Infer, Schema } from "../contract/call/schema-type.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import {
  isTool,
  type Tool,
  type ToolConfig,
  type ToolContext,
  type ToolSpec,
} from "../contract/tool/tool.ts";
import { ToolkeepError } from "../contract/values/error.ts";
import { createRegistry, type Registry } from "./registry.ts";

type Written<Input extends Schema> = ToolSpec<Infer<Input>, ToolConfig, unknown> & {
  readonly inputSchema: Input;
};

/** A tool whose `execute` is the method that it stands before. Its name is that of the method, unless it has one. */
type OfMethod<Input extends Schema> = Omit<Written<Input>, "name" | "execute"> & {
  readonly name?: string;
  readonly execute?: never;
};

type Method<Input extends Schema> = (args: Infer<Input>, ctx: ToolContext<ToolConfig>) => unknown;

/** Registers a tool: with one call at module level, or as the decorator of a method. */
export interface RegisterTool {
  <const Input extends Schema>(tool: Written<Input>): Tool;
  <const Input extends Schema>(
    tool: OfMethod<Input>,
  ): (method: Method<Input>, context: ClassMethodDecoratorContext) => void;
}

/** The registry that all of a process share, and that `registerTool` fills. Most applications make their own. */
export const sharedRegistry: Registry = createRegistry();

/**
 * Registers a tool where it is written: in a file of a tools folder for that file, elsewhere in `sharedRegistry`. As a
 * decorator it registers a static method when its class is defined, and another method when an instance is made.
 * @throws ToolkeepError `invalid_tool`.
 *
 * @example
 * registerTool({ name: "now", description: "Tells the time.", inputSchema, requires: {}, execute: () => Date.now() });
 *
 * class Calendar {
 *   @registerTool({ description: "Lists the events of a day.", inputSchema, requires: {}, mode: "read" })
 *   static list_events({ day }: { day: string }) { … }
 * }
 */
export const registerTool: RegisterTool = registrar((tool) => {
  if (isLoading)
    throw invalid(tool.name, "a package that a tool file imports cannot register it. Export it instead.");
  // A mistake is thrown here, so no session has to be kept from starting.
  if (sharedRegistry.get(tool.name) !== undefined) throw invalid(tool.name, "/name: The name is taken.");
  const error = sharedRegistry.register(tool);
  if (error !== undefined) throw invalid(tool.name, `${error.path}: ${error.message}`);
});

let isLoading = false;

/** While a tool file is loaded, nothing is registered for the whole process. */
export function whileLoading(load: () => void): void {
  isLoading = true;
  try {
    load();
  } finally {
    isLoading = false;
  }
}

/** A `registerTool` whose tools go elsewhere. */
export function registrar(add: (tool: Tool) => void): RegisterTool {
  function added(spec: Written<Schema>): Tool {
    const tool = isTool(spec) ? spec : (defineTool(spec) as Tool);
    add(tool);
    return tool;
  }
  return ((spec: Written<Schema> | OfMethod<Schema>) =>
    spec.execute === undefined
      ? decorator(spec as OfMethod<Schema>, added)
      : added(spec as Written<Schema>)) as RegisterTool;
}

type Context = ClassMethodDecoratorContext | string | symbol;

/** Takes standard decorators, and the older form that the compiler of tool files and `experimentalDecorators` make. */
function decorator(spec: OfMethod<Schema>, add: (spec: Written<Schema>) => Tool) {
  return (decorated: object, context: Context): void => {
    const name = spec.name ?? String(typeof context === "object" ? context.name : context);
    const register = (self: unknown, method: Method<Schema>) =>
      add({ ...spec, name, execute: (args, ctx) => method.call(self, args, ctx) as object });
    if (typeof context === "object")
      context.addInitializer(function () {
        register(this, decorated as Method<Schema>);
      });
    else if (typeof decorated === "function")
      register(decorated, Reflect.get(decorated, context) as Method<Schema>);
    else throw invalid(name, "here only a static method can be decorated. Write `static` before its name.");
  };
}

function invalid(name: string, message: string): ToolkeepError {
  return new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(name)}: ${message}`);
}
