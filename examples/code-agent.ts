import { execFileSync } from "node:child_process";
import { chownSync, globSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace } from "@toolkeep/node";
import { codeTools, standardTools } from "@toolkeep/tools";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

// A small repository with a bug that its own test finds. Root gives it to an ordinary user.
using base = mkdtempDisposableSync(join(tmpdir(), "project-"));
const root = join(base.path, "ws");
mkdirSync(join(root, "src"), { recursive: true, mode: 0o755 });
writeFileSync(join(root, "package.json"), '{ "type": "module", "scripts": { "test": "node --test" } }\n');
writeFileSync(join(root, "src/add.js"), "export const add = (a, b) => a - b;\n");
writeFileSync(
  join(root, "src/add.test.js"),
  `import assert from "node:assert";
import { test } from "node:test";
import { add } from "./add.js";

test("two and three are five", () => assert.equal(add(2, 3), 5));
`,
);
for (const args of ["init -q -b main", "add -A", "commit -qm begin"])
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args.split(" ")], {
    cwd: root,
  });
if (process.getuid?.() === 0)
  for (const path of ["..", ".", ...globSync("{**,.git/**}", { cwd: root })])
    chownSync(join(root, path), 1000, 1000);

const patch = `*** Begin Patch
*** Update File: src/add.js
-export const add = (a, b) => a - b;
+export const add = (a, b) => a + b;
*** End Patch`;

// A model that plays a script. In your program: model: "anthropic/claude-sonnet-4-5".
const script = [
  call("repo_overview", {}),
  call("test_runner", {}),
  call("apply_patch", { patch }),
  call("test_runner", {}),
  call("git", { action: "diff" }),
  call("git", { action: "push", name: "main" }),
  {
    type: "text-delta",
    id: "1",
    delta: "add subtracted; now it adds, and its test passes. It is not pushed.",
  },
];
const model = new MockLanguageModelV4({ doStream: script.map(streamed) as never });

await using workspace = await openWorkspace({ roots: [root], sidecars: join(base.path, "sidecars") });
await using agent = await createAgent({
  model,
  workspace,
  tools: [...standardTools(), ...codeTools()],
  policy: RECOMMENDED_POLICY,
  // `terminalApprover()` asks the user; this one prints the reason and says no.
  approver: async ({ toolName, reason }) => {
    console.log(`asked about ${toolName}: ${reason}`);
    return { verdict: "reject" };
  },
  instructions: "You fix bugs.",
});
for await (const event of agent.run("The test fails. Fix it.")) {
  if (event.type === "result")
    console.log(`${event.result.toolName}:\n${shown(modelText(event.result)).replaceAll(/^/gm, "  ")}`);
  if (event.type === "end") console.log(`${event.reason}: ${event.text}`);
}

function shown(text: string): string {
  return text
    .trimEnd()
    .replaceAll(`${root}/`, "")
    .replaceAll(/\d+ ms/g, "… ms");
}

function call(toolName: string, input: object) {
  return { type: "tool-call", toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) };
}

function streamed(part: object) {
  const text =
    "delta" in part ? [{ type: "text-start", id: "1" }, part, { type: "text-end", id: "1" }] : [part];
  const end = { type: "finish", finishReason: {}, usage: { inputTokens: {}, outputTokens: {} } };
  return { stream: convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...text, end]) };
}
