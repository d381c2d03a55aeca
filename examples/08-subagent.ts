import { createSession, defineTool, effects } from "@toolkeep/core";

const search = defineTool({
  name: "search",
  description: "Searches the documentation.",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  requires: { net: { hosts: ["docs.example"] } },
  effects: () => [effects.fetch("docs.example")],
  execute: ({ query }) => `3 pages about ${query}`,
});

const publish = defineTool({
  name: "publish",
  description: "Publishes a page.",
  inputSchema: { type: "object", properties: { page: { type: "string" } }, required: ["page"] },
  requires: { net: { hosts: ["docs.example"] }, capabilities: ["docs.publish"] },
  effects: ({ page }) => [effects.of("docs.publish", page)],
  execute: ({ page }) => `published ${page}`,
});

await using session = await createSession({
  tools: [search],
  policy: ["allow net.fetch docs.example", "deny docs.publish *"],
});

// A subagent inherits the limits of its parent: its own policy cannot allow what the parent's denies.
await using researcher = await createSession({
  parent: session.childContext("researcher"),
  tools: [search, publish],
  policy: ["allow net.fetch docs.example", "allow docs.publish *"],
});

for (const [name, args] of [
  ["search", { query: "approvals" }],
  ["publish", { page: "notes" }],
] as const) {
  const { data, failure } = await researcher.call(name, args);
  console.log(`${name}: ${failure?.message ?? data}`);
}
