import { type Row, rowsOf } from "./row.ts";

/** C45 to C60: the tools that come along, and the names that are locked. */
export const TOOL_ROWS: readonly Row[] = rowsOf("Built-in tools", [
  {
    id: "C45",
    strength: "M",
    words:
      "Thirteen tools come along: `read`, `write`, `edit`, `glob`, `grep`, `bash`, `todo`, `task`, `question`, `web_search`, `web_fetch`, `skill`, `tool_search`.",
  },
  {
    id: "C46",
    strength: "M",
    words:
      "Each of the thirteen declares what it needs and no more: reading files, writing files, both for `edit`, running a command, fetching, nothing for the four that stay inside the session, the parent's for `task`.",
  },
  { id: "C47", strength: "M", words: "A locked name cannot be registered with another shape." },
  {
    id: "C48",
    strength: "M",
    words: "`edit` replaces a string, `bash` runs one command, `todo` lives as long as its session.",
  },
  {
    id: "C49",
    strength: "M",
    words:
      "`question` takes a list of questions with optional header, options and multiple choice, pauses the loop, and returns one list of answers for each.",
    note: "Pausing settles the sibling calls first; `question`, `ask_clarification` and asking the user are one engine.",
  },
  { id: "C50", strength: "M", words: "Without an approver, `question` fails with a fixed text." },
  {
    id: "C51",
    strength: "M",
    words:
      "`web_search` takes a query and an optional count, returns title, url and snippet, at most 25 times a session and 15 s each.",
  },
  {
    id: "C52",
    strength: "S",
    words: "A session keeps to one search provider, chosen by the hash of its id.",
  },
  {
    id: "C53",
    strength: "M",
    words: "The prompt lists skills in a line each; `skill` loads a body when it is wanted.",
  },
  {
    id: "C54",
    strength: "M",
    words: "`tool_search` finds MCP and extension tools by query; what it finds becomes callable.",
  },
  {
    id: "C55",
    strength: "O",
    words:
      "More tools for code may come on top: `repo_clone`, `repo_overview`, `apply_patch`, `lsp`, `plan`, `plan_exit`.",
  },
  {
    id: "C56",
    strength: "M",
    words:
      "The twelve manager tools exist with all their actions: files, shell, git, tests, language server, code without I/O, diffs, web search and fetch, code search, PDF, clarification.",
    note: "They stand in front of the same implementations as the thirteen; rules see `tool.action`.",
  },
  {
    id: "C57",
    strength: "M",
    words: "Eleven of the twelve are shown to the model; `ask_clarification` has no definition.",
  },
  {
    id: "C58",
    strength: "M",
    words:
      "A call of `ask_clarification` is caught by the loop: the session is saved as paused, reports `clarification_needed`, and resumes with the answer.",
  },
  {
    id: "C59",
    strength: "M",
    words: "`defaultTools()` gives six: run a command, read, write, edit, list, search.",
    note: '`standardTools({ set: "default" })`.',
  },
  { id: "C60", strength: "S", words: "The set bundled by the agentool package is available." },
]);
