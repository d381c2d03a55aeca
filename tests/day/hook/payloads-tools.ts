import { edit, read, tool, write } from "../step.ts";
import { type Payload, quiet, type Recorded, recorded } from "./payload.ts";

/** They were allowed, as they should be. */
const PASSED: readonly Recorded[] = [
  tool("WebFetch", { url: "https://nodejs.org/api/fs.html", prompt: "summarize" }),
  quiet(read("{project}/src/cart.js")),
  quiet(read("{project}/package.json")),
  quiet(read("{project}/.env.example")),
  quiet(read("{project}/node_modules/left-pad/index.js")),
  edit("{project}/src/cart.js", "add", "sum"),
  tool("MultiEdit", { file_path: "{project}/src/cart.js", edits: [{ old_string: "a", new_string: "b" }] }),
  write("{project}/src/new.js"),
  quiet(tool("Grep", { pattern: "TODO", output_mode: "content" })),
  quiet(tool("Grep", { pattern: "TODO", path: "{project}/src" })),
  quiet(tool("Glob", { pattern: "**/*.js" })),
  quiet(tool("LS", { path: "{project}" })),
  tool("NotebookEdit", { notebook_path: "{project}/src/a.ipynb", new_source: "1" }),
];

/** They were asked about every time, where a client asks never or once. */
const FALSE_ALARMS: readonly Recorded[] = [
  tool("WebSearch", { query: "node fs watch" }),
  quiet(read("{home}/.claude/CLAUDE.md")),
  edit("{project}/README.md"),
  edit("{project}/tsconfig.json"),
  write("{project}/app/page.tsx"),
  write("{project}/components/Button.tsx"),
  write("/tmp/x.txt"),
  tool("Skill", { skill: "commit" }),
  quiet(tool("SlashCommand", { command: "/commit" })),
  quiet(
    tool("LSP", { operation: "goToDefinition", filePath: "{project}/src/cart.js", line: 1, character: 1 }),
  ),
  quiet(tool("SendMessage", { to: "a", message: "b" })),
  quiet(tool("mcp__ide__getDiagnostics", {})),
  tool("mcp__context7__query-docs", { q: "x" }),
];

/** They were asked about, as they should be. */
const RIGHT_ASKS: readonly Recorded[] = [
  quiet(read("{project}/.env")),
  read("/etc/hosts"),
  read("{home}/other/README.md"),
  edit("{project}/package.json"),
  edit("{project}/.github/workflows/ci.yml"),
  write("{project}/.env"),
  write("{project}/.claude/settings.json", "{}"),
  tool("mcp__github__create_issue", { owner: "a", repo: "b", title: "t" }),
];

/** They were denied, as they should be. */
const RIGHT_DENIALS: readonly Recorded[] = [
  write("{project}/.git/hooks/pre-commit"),
  write("{project}/.toolkeep/mcp.json", "{}"),
  write("{home}/.bashrc"),
];

/** Nothing was decided: they stay within the conversation, or the gateway decides. */
const LEFT: readonly Recorded[] = [
  quiet(tool("Task", { description: "explore", prompt: "find x", subagent_type: "Explore" })),
  quiet(tool("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "A" }] })),
  tool("mcp__filesystem__read_text_file", { path: "src/cart.js" }),
  tool("mcp__filesystem__write_file", { path: "src/x.js", content: "x" }),
];

/** Calls of other tools. */
export const TOOL_PAYLOADS: readonly Payload[] = [
  ...recorded({ was: "allow", expected: "allow" }, PASSED),
  ...recorded({ was: "ask", expected: "allow" }, FALSE_ALARMS),
  ...recorded({ was: "ask", expected: "ask" }, RIGHT_ASKS),
  ...recorded({ was: "deny", expected: "deny" }, RIGHT_DENIALS),
  ...recorded({ was: "none", expected: "allow" }, LEFT),
];
