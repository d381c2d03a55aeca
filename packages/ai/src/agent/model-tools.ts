import type { Tool, ToolSet } from "ai";
import { sdkSchema } from "../ai-sdk/to-ai-sdk.ts";
import type { Definition } from "./short-definition.ts";

/** Describes tools to a model. Each is described once, so that the prompt stays the same. */
export class ModelTools {
  readonly #described = new WeakMap<Definition, Tool>();

  of(definitions: readonly Definition[]): ToolSet {
    return Object.fromEntries(definitions.map((definition) => [definition.name, this.#describe(definition)]));
  }

  #describe(definition: Definition): Tool {
    const known = this.#described.get(definition);
    if (known !== undefined) return known;
    const { description, inputSchema } = definition;
    const described = { description, inputSchema: sdkSchema(inputSchema) } as Tool;
    this.#described.set(definition, described);
    return described;
  }
}
