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

await using session = await createSession({
  tools: [readNote],
  policy: ["allow fs.read /notes/**", "deny fs.read **/.env"],
});

// What a model is sent, and what it might reply: one good call, one that is denied, one that was cut off.
const definitions = session.tools().map((tool) => openai.definition(tool, { strict: true }));
console.log(`The model sees: ${definitions.map(({ function: { name } }) => name).join(", ")}`);
const message = {
  role: "assistant" as const,
  tool_calls: [
    { id: "call_1", function: { name: "read_note", arguments: '{"path":"/notes/plan.md"}' } },
    { id: "call_2", function: { name: "read_note", arguments: '{"path":"/notes/.env"}' } },
    { id: "call_3", function: { name: "read_note", arguments: '{"path":"/no' } },
  ],
};

const turn = await session.run(openai.toolCalls(message));
if (turn.status === "done") for (const { content } of turn.results.map(openai.result)) console.log(content);
