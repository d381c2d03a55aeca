import { createSession, defineTool, effects } from "@toolkeep/core";
import { parseCommand } from "@toolkeep/node";
import { parsePolicy, policyDefinition, testPolicy } from "@toolkeep/policy";

const text = `
version: 1
mode: ask
extends: [toolkeep:recommended]
rules:
  - allow fs.write "{app,scripts}/**"
  - deny fs.* "**/.env*" because "keys stay here"
tests:
  - { write: app/a.ts, expect: allow }
  - { write: app/.env, expect: deny }
  - { bash: git push --force origin main, expect: deny }
`;
const file = parsePolicy(text, { file: "policy.yaml", variables: { workspace: ["/repo"] } });
console.log((await testPolicy(file, { parseCommand })).text);

const save = defineTool({
  name: "save",
  description: "Saves a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  requires: { fs: { write: ["{workspace}/**"] } },
  effects: ({ path }) => [effects.write(path)],
  execute: ({ path }) => `saved ${path}`,
});

// For `createSession`, `await readPolicyFile("policy.yaml")` reads a file with all that it extends, and throws if it is invalid.
await using session = await createSession({ tools: [save], policy: policyDefinition(file) });
for (const path of ["/repo/app/a.ts", "/repo/app/.env"]) {
  const result = await session.call("save", { path });
  console.log(result.ok ? result.data : result.failure?.message);
}
