import { createSession, defineTool, effects } from "@toolkeep/core";
import { openai } from "@toolkeep/core/formats";

const readNote = defineTool({
  name: "read_note",
  description: "Reads a note by its path.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { read: ["/notes/**"] } },
  effects: ({ path }) => [effects.read(path)],
  execute: ({ path }) => `Contents of ${path}`,
});

const session = await createSession({
  tools: [readNote],
  policy: [
    { permission: "fs.read", pattern: "/notes/**", action: "allow" },
    { permission: "fs.read", pattern: "**/.env", action: "deny" },
  ],
});

// What a model would be sent, and what it might answer: one good call, one forbidden, one cut off.
const definitions = session.tools().map((tool) => openai.definition(tool, { strict: true }));
console.log(`The model sees: ${definitions.map(({ function: { name } }) => name).join(", ")}`);
const reply = {
  tool_calls: [
    { id: "call_1", function: { name: "read_note", arguments: '{"path":"/notes/plan.md"}' } },
    { id: "call_2", function: { name: "read_note", arguments: '{"path":"/notes/.env"}' } },
    { id: "call_3", function: { name: "read_note", arguments: '{"path":"/no' } },
  ],
};

const outcome = await session.run(openai.toolCalls(reply));
if (outcome.status === "done")
  for (const result of outcome.results) console.log(openai.result(result).content);
await session.close();
