import { bash, type ClientCall, type Expected, edit, read, type Step, tool, wordsOf } from "../step.ts";

const source = (before: string, after: string) => edit("{project}/src/cart.js", before, after);
const message = (text: string) => `"$(cat <<'EOF'\n${text}\nEOF\n)"`;

/** [what a user expects, the call, whether the client asks by itself] */
type Line = readonly [Expected, ClientCall, ("quiet" | "prompts")?];

const LINES: readonly Line[] = [
  ["allow", bash("git status && git log --oneline -5"), "quiet"],
  ["allow", read("{project}/src/cart.js"), "quiet"],
  ["allow", tool("Grep", { pattern: "total", output_mode: "content" }), "quiet"],
  ["allow", read("{project}/package.json"), "quiet"],
  ["allow", bash("npm test 2>&1 | tail -30")],
  ["allow", source("sum + price", "sum + price * count")],
  ["allow", edit("{project}/test/cart.test.js", "total([])", "total([], 0)")],
  ["allow", bash("npm test 2>&1 | tail -30")],
  ["allow", bash("npx eslint src --fix 2>&1 | head -40")],
  ["ask", edit("{project}/package.json", '"dependencies": {}', '"dependencies": { "zod": "^4.0.0" }')],
  ["ask", bash("npm install zod")],
  ["allow", bash("npm test")],
  ["allow", bash("npx tsc --noEmit")],
  ["allow", tool("WebFetch", { url: "https://zod.dev/api", prompt: "x" })],
  ["allow", tool("WebSearch", { query: "zod refine" })],
  ["allow", source("price * count", "count * price")],
  ["allow", edit("{project}/README.md", "# shop", "# The shop")],
  ["allow", bash("npm test -- --test-name-pattern total")],
  ["allow", bash("npm run build 2>&1 | tail -5")],
  ["allow", bash("npm run dev > /tmp/dev.log 2>&1 &")],
  ["allow", bash("sleep 3 && curl -s http://localhost:3000/health")],
  ["allow", bash("cat /tmp/dev.log | tail -20")],
  ["ask", bash(`node -e "import('./src/cart.js').then(m=>console.log(m.add(1,2)))"`)],
  ["allow", bash("git diff"), "quiet"],
  ["allow", bash("git checkout -b fix/total")],
  [
    "allow",
    bash(
      `git add -A && git commit -m ${message("fix(cart): total of an empty cart (#12)\n\n🤖 Generated with Claude Code")}`,
    ),
  ],
  ["ask", bash("git push -u origin fix/total")],
  ["ask", bash(`gh pr create --title "fix(cart): total" --body ${message("## Summary\n- fixed")}`)],
  ["allow", bash("gh pr checks 12"), "quiet"],
  ["allow", bash("gh run view 99 --log-failed | tail -50")],
  ["allow", source("count * price", "price * count")],
  ["allow", bash("npm test 2>&1 | tail -30")],
  ["ask", bash("git commit -am 'fix: lint' && git push")],
];

/** A bug fix from `git status` to the pull request, in one conversation. */
export const BUG_FIX: readonly Step[] = LINES.map(([expected, call, prompts = "prompts"]) => ({
  name: wordsOf(call),
  call,
  expected,
  prompts: prompts === "prompts",
}));
