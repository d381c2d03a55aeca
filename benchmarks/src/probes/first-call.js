// Plain JavaScript: types would have to be stripped, which costs more than what is measured.
import { createSession, defineTool } from "@toolkeep/core";

const look = defineTool({
  name: "look",
  description: "Looks at a file.",
  mode: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer", minimum: 1 } },
    required: ["path"],
    additionalProperties: false,
  },
  requires: { fs: { read: ["/data/**"] } },
  effects: ({ path }) => [{ capability: "fs.read", target: path }],
  execute: ({ path }) => ({ path }),
});

const session = await createSession({
  tools: [look],
  policy: [{ permission: "fs.read", pattern: "/data/**", action: "allow" }],
});
const result = await session.call({
  id: "c1",
  name: "look",
  arguments: '{"path":"/data/notes.md","limit":3}',
});
if (!result.ok) throw new Error(JSON.stringify(result.failure));
