import { mkdtempDisposableSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "@toolkeep/core";
import { openMcpServers } from "@toolkeep/mcp";
import { openApiTools } from "@toolkeep/openapi";

using folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), "notes-"));
writeFileSync(join(folder.path, "plan.md"), "Release it.");
const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  servers: [{ url: "https://pets.example" }],
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "All pets." } } } } },
};

await using servers = await openMcpServers({
  files: {
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem", folder.path],
  },
});
const api = await openApiTools({ document, prefix: "pets" });

await using session = await createSession({
  tools: [...servers.tools, ...api.tools],
  variables: { workspace: [folder.path] },
  policy: ["allow fs.read {workspace}/**", "deny fs.write **", "deny net.fetch pets.example"],
});

// An effect map says what the arguments of this server mean, so rules on paths apply to its tools.
const calls = [
  ["files_read_text_file", { path: join(folder.path, "plan.md") }],
  ["files_write_file", { path: join(folder.path, "plan.md"), content: "Wait." }],
  ["pets__listPets", {}],
] as const;
for (const [name, args] of calls) {
  const result = await session.call(name, args);
  console.log(`${name}: ${result.ok ? "allowed" : result.failure?.message}`);
}
