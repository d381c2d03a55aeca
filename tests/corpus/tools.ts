import type { Tool } from "@toolkeep/core";
import { searxngSearch } from "@toolkeep/tools";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  readTool,
  todoTool,
  webFetchTool,
  webSearchTool,
  writeTool,
} from "@toolkeep/tools/internal";

/** The real tools, as far as the corpus calls them. */
export function realTools(hosts: readonly string[], searchUrl: string): readonly Tool[] {
  return [
    readTool(),
    writeTool(),
    editTool(),
    globTool(),
    grepTool(),
    bashTool(),
    todoTool(),
    webFetchTool({ hosts }),
    webSearchTool({ providers: [searxngSearch({ url: searchUrl })] }),
  ] as readonly Tool[];
}

/** The names that the corpus has for parameters, by tool, and ours. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  edit: { old: "old_string", new: "new_string" },
  todo: { items: "todos" },
};

const MEGABYTE = 1_000_000;

/** The input of a record as the tool takes it; texts that are too long to be written out are made here. */
export function inputFor(tool: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = RENAMED[tool] ?? {};
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [names[name] ?? name, madeFrom(value)]),
  );
}

function madeFrom(value: unknown): unknown {
  if (value === "<100 MB string>") return "x".repeat(100 * MEGABYTE);
  if (value === "<1e6 items>")
    return Array.from({ length: MEGABYTE }, () => ({ content: "x", status: "pending" }));
  return value;
}
