import { bash, type ClientCall, type Expected, read, type Step, tool, wordsOf, write } from "../step.ts";

const PATCH = "*** Begin Patch\n*** Update File: src/cart.js\n@@\n-a\n+b\n*** End Patch\n";

const CALLS: readonly (readonly [Expected, ClientCall])[] = [
  ["allow", bash("git status")],
  ["allow", bash("npm test")],
  ["allow", bash("npm test 2>&1 | tail")],
  ["deny", bash("rm -rf /")],
  ["allow", read("{project}/src/cart.js")],
  ["ask", read("{project}/.env")],
  ["ask", read("/etc/hosts")],
  ["allow", write("{project}/index.html")],
  ["allow", write("{project}/main.py")],
  ["ask", tool("Delete", { path: "{project}/src/old.js" })],
  ["allow", tool("SemanticSearch", { query: "x", target_directories: [] })],
  ["allow", tool("ReadLints", { paths: [] })],
  ["allow", tool("GenerateImage", { prompt: "x" })],
  ["allow", tool("CreatePlan", { plan: "x" })],
  ["allow", tool("ApplyPatch", { patch: PATCH })],
  ["allow", tool("Subagent", { prompt: "x" })],
  ["ask", tool("CallMcpTool", { server: "a", toolName: "b" })],
  ["ask", tool("FetchMcpResource", { server: "a" })],
  ["ask", tool("mcp__linear__create_issue", { title: "x" })],
];

/** Calls in Cursor's own words. */
export const CURSOR_PAYLOADS: readonly Step[] = CALLS.map(([expected, call]) => ({
  name: wordsOf(call),
  call,
  expected,
  prompts: false,
}));
