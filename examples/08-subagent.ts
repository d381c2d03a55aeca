import { createSession, defineTool, effects } from "@toolkeep/core";

const readPage = defineTool({
  name: "read_page",
  description: "Reads a page.",
  inputSchema: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
  requires: { net: { hosts: ["*"] } },
  effects: ({ host }) => [effects.fetch(host)],
  execute: ({ host }) => `a page of ${host}`,
});

await using session = await createSession({
  tools: [readPage],
  policy: ["allow net.fetch *.example", "deny net.fetch secret.example"],
});

// A subagent may do what its parent may do and no more, whatever its own policy allows.
await using researcher = await createSession({
  parent: session.childContext("researcher"),
  tools: [readPage],
  policy: ["allow net.fetch *"],
});

for (const host of ["docs.example", "secret.example", "elsewhere.test"]) {
  const result = await researcher.call("read_page", { host });
  console.log(`${host}: ${result.ok ? result.data : result.failure?.message}`);
}
