import type { Tool } from "@toolkeep/core";
import { isTool } from "@toolkeep/core/internal";

/** What came of the top level of a file. */
export interface EvaluatedFile {
  readonly exports?: unknown;
  /** What the file registered. */
  readonly registered: readonly Tool[];
}

type ToolsOfFile =
  | { readonly tools: readonly Tool[]; readonly error?: undefined }
  | { readonly error: string; readonly hint: string };

const MAKE_IT = 'Make it with `defineTool` from "@toolkeep/core".';

/**
 * The tools that a file registered, and those among what it exports: by default or by name, one by one or in a list.
 * Other exports are passed over, unless they look as if they were meant to be tools.
 */
export function toolsOf({ exports, registered }: EvaluatedFile): ToolsOfFile {
  const values = isTool(exports) || Array.isArray(exports) ? [exports] : Object.values(Object(exports));
  const tools = new Set<Tool>(registered);
  for (const value of values) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isList = Array.isArray(value) && items.some(isTool);
    for (const item of items) {
      if (isTool(item)) tools.add(item);
      else if (isList)
        return { error: "A list it exports contains something that is not a tool.", hint: MAKE_IT };
      else if (isAlmostTool(item))
        return { error: `It exports ${nameOf(item)}, which is no tool yet.`, hint: MAKE_IT };
    }
  }
  if (tools.size > 0) return { tools: [...tools] };
  return {
    error: "It exports no tool and registers none.",
    hint: `${MAKE_IT} A file that only others import begins with \`_\`.`,
  };
}

function isAlmostTool(value: unknown): value is { readonly name: unknown } {
  return typeof value === "object" && value !== null && "execute" in value && "name" in value;
}

function nameOf({ name }: { readonly name: unknown }): string {
  return JSON.stringify(String(name).slice(0, 64));
}
