import { type Row, rowsOf } from "./row.ts";

/** C111 to C118: calls that other agents, servers and documents answer. */
export const DELEGATION_ROWS: readonly Row[] = rowsOf("Delegation and sources", [
  {
    id: "C111",
    strength: "M",
    words:
      "`task` delegates work to a subagent and waits, or lets it run in the background; it may recurse, inherits permissions, and can be looked into.",
    note: "Depth is counted while running: five for `task`, one for the subagent tool.",
  },
  {
    id: "C112",
    strength: "M",
    words:
      "A subagent tool has a name, a description, a prompt, a model, an optional provider, tools and a thinking level, and returns the child's last text.",
  },
  {
    id: "C113",
    strength: "M",
    words: "A subagent gets no subagent tool; cancelling reaches it; its events arrive as updates.",
  },
  {
    id: "C114",
    strength: "M",
    words: "An OpenAPI 3.0 document, given as text, file, url or value, becomes one tool per operation.",
    note: "It is a package of its own rather than a compile-time feature.",
  },
  {
    id: "C115",
    strength: "M",
    words: "An MCP server's tools become ours over one client per server, with a prefix where wanted.",
    note: "A tool is known by server and name; other spellings find it but cannot register it.",
  },
  {
    id: "C116",
    strength: "M",
    words:
      "Four kits describe a way of working (test first, debugging, setting up, code quality) and enter the prompt only if their tools are allowed.",
  },
  {
    id: "C117",
    strength: "M",
    words:
      "Eight guides, one per manager tool, say when to use it, when not, with examples and tips, and enter the prompt.",
    note: "They are called tool guides here, since a skill is something else.",
  },
  {
    id: "C118",
    strength: "O",
    words: "A result may reach the model while it is still being made.",
    note: "Models take results between their steps: a command in the background is read while it runs, and each read gives what is new.",
  },
]);
