import { chmodSync, chownSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@toolkeep/core";
import { commandEffects } from "@toolkeep/core/ports";
import { openWorkspace } from "@toolkeep/node";
import { openSqliteStore } from "@toolkeep/sqlite";

// A small project. Root gives it to an ordinary user, as whom its commands run.
using base = mkdtempDisposableSync(join(tmpdir(), "example-"));
const root = join(base.path, "project");
mkdirSync(join(root, "src"), { recursive: true });
writeFileSync(join(root, "src/app.ts"), "export const answer = 42;\n");
writeFileSync(join(root, ".env"), "TOKEN=s3cr3t\n");
chmodSync(base.path, 0o711);
if (process.getuid?.() === 0) for (const path of [root, join(root, "src")]) chownSync(path, 1000, 1000);

const bash = defineTool({
  name: "bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  requires: {
    fs: { read: ["{workspace}/**"], write: ["{workspace}/**"] },
    capabilities: ["shell.run", "shell.dynamic"],
  },
  effects: async ({ command }, resolver) => commandEffects(await resolver.parseCommand(command), command),
  async execute({ command }, { io }) {
    const { exitCode, output } = await io.commands.run({ line: command, keepBytes: 10_000 });
    return { exitCode, output: new TextDecoder().decode(output?.head) };
  },
});

await using store = openSqliteStore({ path: join(base.path, "store") });
await using workspace = await openWorkspace({ roots: [root], store });
{
  await using session = await workspace.createSession({
    id: "s1",
    tools: [bash],
    policy: ['allow bash "{cat,ls,touch,rm} *"', "ask fs.delete"],
  });
  for (const command of [
    "cat src/app.ts",
    "cat .env",
    "cat /etc/passwd",
    "ls -a src",
    "touch /usr/x",
    "rm -rf src",
  ]) {
    const { data, failure } = await session.call("bash", { command });
    console.log(`${command}: ${failure?.message ?? JSON.stringify(data)}`);
  }
}
const { intact } = await store.verify("s1");
console.log(workspace.isolation, intact ? "intact" : "broken");
