import type { Diagnostic, PdfReader, Registry, Tool } from "@toolkeep/core";
import { editTool } from "./files/edit-tool.ts";
import { listTool } from "./files/list-tool.ts";
import { readTool } from "./files/read-tool.ts";
import { writeTool } from "./files/write-tool.ts";
import { globTool } from "./search/glob-tool.ts";
import { grepTool } from "./search/grep-tool.ts";
import { searchTool } from "./search/search-tool.ts";
import { questionTool } from "./session/question-tool.ts";
import { taskTool } from "./session/task-tool.ts";
import { todoTool } from "./session/todo-tool.ts";
import { bashTool } from "./shell/bash-tool.ts";
import type { CommandLineOptions } from "./shell/command-line.ts";
import { skillTool } from "./skills/skill-tool.ts";
import { type ToolSearchOptions, toolSearchTool } from "./tool-search/tool-search-tool.ts";
import { type WebFetchOptions, webFetchTool } from "./web/web-fetch-tool.ts";
import { type WebSearchOptions, webSearchTool } from "./web/web-search-tool.ts";

/** What the thirteen cannot know by themselves. */
export interface StandardToolOptions {
  /** Where the tools are registered: what `tool_search` looks through. */
  readonly tools: ToolSearchOptions["tools"];
  /** Who searches the web. Left out: a search fails and says that nobody does. */
  readonly webSearch?: WebSearchOptions;
  readonly webFetch?: WebFetchOptions;
  readonly bash?: CommandLineOptions;
  /** Who reads PDFs, for `read` and `web_fetch`. Left out: a PDF is named and not shown. */
  readonly pdf?: PdfReader | undefined;
}

/** The thirteen tools whose names models have learned. Their shapes are the same everywhere. */
export function standardTools({
  tools,
  webSearch,
  webFetch,
  bash,
  pdf,
}: StandardToolOptions): readonly Tool[] {
  return [
    readTool({ pdf }),
    writeTool(),
    editTool(),
    globTool(),
    grepTool(),
    bashTool(bash),
    todoTool(),
    taskTool(),
    questionTool(),
    webSearchTool(webSearch ?? { providers: [] }),
    webFetchTool({ pdf, ...webFetch }),
    skillTool(),
    toolSearchTool({ tools }),
  ] as readonly Tool[];
}

/** Six to work on files with: run a command, read, write, edit, list, search. */
export function defaultTools(options: Pick<StandardToolOptions, "bash" | "pdf"> = {}): readonly Tool[] {
  return [
    bashTool(options.bash),
    readTool({ pdf: options.pdf }),
    writeTool(),
    editTool(),
    listTool(),
    searchTool(),
  ] as readonly Tool[];
}

/** The fewest that a project can be worked on with: read, write, edit, run a command. */
export function minimalTools(options: Pick<StandardToolOptions, "bash" | "pdf"> = {}): readonly Tool[] {
  return [readTool({ pdf: options.pdf }), writeTool(), editTool(), bashTool(options.bash)] as readonly Tool[];
}

/**
 * Registers the thirteen so that nobody can bind their names to another shape. Gives why one of them, or one
 * that was there before, was left out; nothing where all is well.
 */
export function registerStandardTools(
  registry: Registry,
  options: Omit<StandardToolOptions, "tools"> = {},
): readonly Diagnostic[] {
  const registration = { origin: { layer: "bundled", source: "bundled" }, locked: true } as const;
  return standardTools({ ...options, tools: registry }).flatMap(
    (tool) => registry.register(tool, registration) ?? [],
  );
}
