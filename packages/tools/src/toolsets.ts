import type { Tool } from "@toolkeep/core";
import { assertKnownKeys, type RegisterOptions, withRegistration } from "@toolkeep/core/internal";
import type { PdfReader } from "@toolkeep/core/ports";
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
import { toolSearchTool } from "./tool-search/tool-search-tool.ts";
import { type WebFetchOptions, webFetchTool } from "./web/web-fetch-tool.ts";
import { type WebSearchOptions, webSearchTool } from "./web/web-search-tool.ts";

/** Settings of the standard tools. All are optional. */
export interface StandardToolOptions {
  /** The search providers of `web_search`. Default: none, and a search fails with a message that says so. */
  readonly webSearch?: WebSearchOptions;
  readonly webFetch?: WebFetchOptions;
  readonly bash?: CommandLineOptions;
  /** Reads PDFs for `read` and `web_fetch`. Default: a PDF is named and not shown. */
  readonly pdf?: PdfReader | undefined;
}

const OPTIONS = ["webSearch", "webFetch", "bash", "pdf"] as const satisfies (keyof StandardToolOptions)[];
const STANDARD: RegisterOptions = { origin: { layer: "bundled", source: "bundled" }, locked: true };

/**
 * The thirteen standard tools: `read`, `write`, `edit`, `glob`, `grep`, `bash`, `todo`, `task`, `question`,
 * `web_search`, `web_fetch`, `skill`, `tool_search`. Their names are locked to their parameters: a session refuses
 * a tool that has one of these names and other parameters.
 *
 * @example
 * await using session = await createSession({ tools: [...standardTools(), weather], policy });
 */
export function standardTools(options: StandardToolOptions = {}): readonly Tool[] {
  assertKnownKeys(options, OPTIONS, "option of standardTools");
  const { webSearch = { providers: [] }, webFetch, bash, pdf } = options;
  const tools = [
    readTool({ pdf }),
    writeTool(),
    editTool(),
    globTool(),
    grepTool(),
    bashTool(bash),
    todoTool(),
    taskTool(),
    questionTool(),
    webSearchTool(webSearch),
    webFetchTool({ pdf, ...webFetch }),
    skillTool(),
    toolSearchTool(),
  ] as readonly Tool[];
  return tools.map((tool) => withRegistration(tool, STANDARD));
}

/** Under their origin, and without locks: a tool of the host application may take one of their names. */
const BUNDLED: RegisterOptions = { origin: { layer: "bundled", source: "bundled" } };

/** Six tools for work on files: `bash`, `read`, `write`, `edit`, `list`, `search`. */
export function defaultTools(options: Pick<StandardToolOptions, "bash" | "pdf"> = {}): readonly Tool[] {
  const tools = [
    bashTool(options.bash),
    readTool({ pdf: options.pdf }),
    writeTool(),
    editTool(),
    listTool(),
    searchTool(),
  ] as readonly Tool[];
  return tools.map((tool) => withRegistration(tool, BUNDLED));
}

/** The smallest set for work on a project: `read`, `write`, `edit`, `bash`. */
export function minimalTools(options: Pick<StandardToolOptions, "bash" | "pdf"> = {}): readonly Tool[] {
  const tools = [
    readTool({ pdf: options.pdf }),
    writeTool(),
    editTool(),
    bashTool(options.bash),
  ] as readonly Tool[];
  return tools.map((tool) => withRegistration(tool, BUNDLED));
}
