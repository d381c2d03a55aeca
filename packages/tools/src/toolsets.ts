import type { Tool } from "@toolkeep/core";
import { assertKnownKeys, invalidOption, withRegistration } from "@toolkeep/core/internal";
import type { PdfReader } from "@toolkeep/core/ports";
import { BUNDLED } from "./bundled.ts";
import { diffEditorTool, fileManagerTool, pdfReadTool } from "./by-action/file-tools.ts";
import { underName } from "./by-action/tool-of-actions.ts";
import { codeExecTool } from "./code-exec/code-exec-tool.ts";
import { diffTool } from "./files/diff-tool.ts";
import { editTool } from "./files/edit-tool.ts";
import { listTool } from "./files/list-tool.ts";
import { readTool } from "./files/read-tool.ts";
import { writeTool } from "./files/write-tool.ts";
import { gitTool } from "./git/git-tool.ts";
import { repoCloneTool } from "./git/repo-clone-tool.ts";
import { lspTool } from "./lsp/lsp-tool.ts";
import { applyPatchTool } from "./patches/apply-patch-tool.ts";
import { globTool } from "./search/glob-tool.ts";
import { grepTool } from "./search/grep-tool.ts";
import { repoOverviewTool } from "./search/repo-overview-tool.ts";
import { searchTool } from "./search/search-tool.ts";
import { clarificationTool } from "./session/clarification-tool.ts";
import { questionTool } from "./session/question-tool.ts";
import { taskTool } from "./session/task-tool.ts";
import { todoTool } from "./session/todo-tool.ts";
import { backgroundTools } from "./shell/background-tools.ts";
import { bashTool } from "./shell/bash-tool.ts";
import type { CommandLineOptions } from "./shell/command-line.ts";
import { skillTool } from "./skills/skill-tool.ts";
import { testRunnerTool } from "./test-runs/test-runner-tool.ts";
import { toolSearchTool } from "./tool-search/tool-search-tool.ts";
import { type WebFetchOptions, webFetchTool } from "./web/web-fetch-tool.ts";
import { type WebSearchOptions, webSearchTool } from "./web/web-search-tool.ts";

/** Options of {@link standardTools}. All are optional. */
export interface StandardToolOptions {
  /**
   * Which tools. `standard` (default): all thirteen. `default`: six for work on files, namely `bash`, `read`, `write`,
   * `edit`, `list` and `search`. `minimal`: `read`, `write`, `edit` and `bash`. `agentool`: eleven under the names that
   * the package agentool has for them, such as `web-fetch` and `ask-user`.
   */
  readonly set?: ToolSet;
  /**
   * Adds `bash_start`, `bash_output` and `bash_stop`, for commands that keep running between calls. Make the tools anew
   * for each session then: when a session closes, it disposes of its tools, and that kills their commands.
   */
  readonly background?: boolean;
  /** The search providers of `web_search`. Default: none, and a search fails with a message that says so. */
  readonly webSearch?: WebSearchOptions;
  readonly webFetch?: WebFetchOptions;
  readonly bash?: CommandLineOptions;
  /** Reads PDFs for `read` and `web_fetch`. Default: a PDF is named and not shown. */
  readonly pdf?: PdfReader | undefined;
}

type ToolSet = "standard" | "default" | "minimal" | "agentool";

/** Options of {@link managerTools}. All are optional. */
export type ManagerToolOptions = Pick<StandardToolOptions, "webSearch" | "webFetch" | "bash" | "pdf">;

const SHARED: readonly (keyof ManagerToolOptions)[] = ["webSearch", "webFetch", "bash", "pdf"];
const OPTIONS: readonly (keyof StandardToolOptions)[] = ["set", "background", ...SHARED];

/**
 * The thirteen standard tools: `read`, `write`, `edit`, `glob`, `grep`, `bash`, `todo`, `task`, `question`,
 * `web_search`, `web_fetch`, `skill`, `tool_search`. Their names are locked to their parameters: a session refuses
 * a tool that has one of these names and other parameters. The option `set` chooses a smaller set, whose names a tool of
 * the host application may take.
 *
 * @example
 * await using session = await createSession({ tools: [...standardTools(), weather], policy });
 */
export function standardTools(options: StandardToolOptions = {}): readonly Tool[] {
  assertKnownKeys(options, OPTIONS, "option of standardTools");
  const { set = "standard", background = false, bash } = options;
  if (!Object.hasOwn(SETS, set))
    throw invalidOption(`\`set\` is one of ${Object.keys(SETS).join(", ")}; it was ${set}.`);
  const registration = { ...BUNDLED, locked: set === "standard" };
  const tools = SETS[set](options).map((tool) => withRegistration(tool, registration));
  return background ? [...tools, ...backgroundTools(bash)] : tools;
}

const SETS: Readonly<Record<ToolSet, (options: StandardToolOptions) => readonly Tool[]>> = {
  standard: ({ webSearch = { providers: [] }, webFetch, bash, pdf }) =>
    [
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
    ] as readonly Tool[],
  default: ({ bash, pdf }) =>
    [bashTool(bash), readTool({ pdf }), writeTool(), editTool(), listTool(), searchTool()] as readonly Tool[],
  minimal: ({ bash, pdf }) => [readTool({ pdf }), writeTool(), editTool(), bashTool(bash)] as readonly Tool[],
  agentool: (options) => [
    ...SETS.standard(options).flatMap((tool) =>
      Object.hasOwn(AGENTOOL_NAMES, tool.name) ? [underName(tool, AGENTOOL_NAMES[tool.name] as string)] : [],
    ),
    diffTool() as Tool,
  ],
};

const AGENTOOL_NAMES: Readonly<Record<string, string>> = {
  ...{ bash: "bash", read: "read", write: "write", edit: "edit", glob: "glob", grep: "grep" },
  ...{ web_fetch: "web-fetch", web_search: "web-search", tool_search: "tool-search" },
  question: "ask-user",
};

/**
 * Tools for work on code, in addition to the standard ones: `apply_patch`, `code_exec`, `git`, `lsp`, `repo_clone`,
 * `repo_overview` and `test_runner`. Make them anew for each session: when a session closes, it disposes of its tools,
 * and that stops their language servers.
 *
 * @example
 * await using session = await workspace.createSession({ tools: [...standardTools(), ...codeTools()], policy });
 */
export function codeTools(): readonly Tool[] {
  const tools = [
    applyPatchTool(),
    codeExecTool(),
    gitTool(),
    lspTool(),
    repoCloneTool(),
    repoOverviewTool(),
    testRunnerTool(),
  ];
  return (tools as readonly Tool[]).map((tool) => withRegistration(tool, BUNDLED));
}

/**
 * One tool for each kind of work, with an argument `action`: `file_manager`, `bash_manager`, `git_manager`,
 * `test_runner`, `lsp_manager`, `code_exec`, `diff_editor`, `code_search`, `web_search`, `web_fetch`, `pdf_read`. They
 * stand in front of the same implementations as the other sets. Rules see `file_manager.delete`. Models get no
 * definition of the last tool, `ask_clarification`: the prompt of an agent tells them of it, and a call of it pauses the
 * run until the user answers.
 *
 * @example
 * await using session = await workspace.createSession({ tools: managerTools(), policy: ["deny file_manager.delete"] });
 */
export function managerTools(options: ManagerToolOptions = {}): readonly Tool[] {
  assertKnownKeys(options, SHARED, "option of managerTools");
  const { webSearch = { providers: [] }, webFetch, bash, pdf } = options;
  const tools = [
    fileManagerTool(),
    underName(bashTool(bash) as Tool, "bash_manager"),
    underName(gitTool() as Tool, "git_manager", { actionArgument: "action" }),
    testRunnerTool(),
    underName(lspTool() as Tool, "lsp_manager"),
    codeExecTool(),
    diffEditorTool(),
    underName(grepTool() as Tool, "code_search"),
    webSearchTool(webSearch),
    webFetchTool({ pdf, ...webFetch }),
    pdfReadTool(pdf),
    clarificationTool(),
  ] as readonly Tool[];
  return tools.map((tool) => withRegistration(tool, BUNDLED));
}
