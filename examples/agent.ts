import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

// A model that plays a script. In your program: model: "anthropic/claude-sonnet-4-5".
const script = [
  call("read", { path: "add.js" }),
  call("edit", { path: "add.js", old_string: "a - b", new_string: "a + b" }),
  { type: "text-delta", id: "1", delta: "add.js subtracted; now it adds." },
];
const model = new MockLanguageModelV4({ doStream: script.map(streamed) as never });

using folder = mkdtempDisposableSync(join(tmpdir(), "project-"));
writeFileSync(join(folder.path, "add.js"), "export const add = (a, b) => a - b;\n");
await using workspace = await openWorkspace({
  roots: [folder.path],
  sidecars: join(folder.path, "sidecars"),
});
await using agent = await createAgent({
  model,
  workspace,
  tools: standardTools(),
  policy: ["allow fs.read {workspace}/**", "ask fs.write {workspace}/**"],
  approver: async ({ toolName }) => {
    console.log(`asked: ${toolName}`);
    return { verdict: "once" };
  },
  instructions: "You fix bugs.",
});
for await (const event of agent.run("The sum is wrong. Fix it.")) {
  if (event.type === "result")
    console.log(`${event.result.toolName}: ${event.result.ok ? "done" : "failed"}`);
  if (event.type === "end") console.log(`${event.reason} after ${event.steps} steps: ${event.text}`);
}
console.log(readFileSync(join(folder.path, "add.js"), "utf8").trim());

function call(toolName: string, input: object) {
  return { type: "tool-call", toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) };
}

function streamed(part: object) {
  const text =
    "delta" in part ? [{ type: "text-start", id: "1" }, part, { type: "text-end", id: "1" }] : [part];
  const end = { type: "finish", finishReason: {}, usage: { inputTokens: {}, outputTokens: {} } };
  return { stream: convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...text, end]) };
}
