import type { Session } from "@toolkeep/core";
import { aiSdk } from "@toolkeep/core/formats";
import type { Tool, ToolSet } from "ai";
import { sdkSchema } from "../ai-sdk/to-ai-sdk.ts";

type Registered = ReturnType<Session["tools"]>[number];

/** Describes the tools of a session to a model. Each is described once, so that the prompt stays the same. */
export class ModelTools {
  readonly #described = new WeakMap<Registered["tool"], Tool>();

  of(session: Session): ToolSet {
    return Object.fromEntries(
      session.tools().map((registered) => [registered.name, this.#describe(registered)]),
    );
  }

  #describe(registered: Registered): Tool {
    const known = this.#described.get(registered.tool);
    if (known !== undefined) return known;
    const { description, inputSchema } = aiSdk.definition(registered);
    const described = { description, inputSchema: sdkSchema(inputSchema) } as Tool;
    this.#described.set(registered.tool, described);
    return described;
  }
}
