import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { openWorkspace, pdfReader } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";

// A small project with a bug. Commands never run as root, so root gives the project to another user.
const base = mkdtempSync(join(tmpdir(), "project-"));
const root = join(base, "ws");
mkdirSync(root, { mode: 0o755 });
writeFileSync(join(root, "add.sh"), "#!/bin/sh\necho $(($1 - $2))\n", { mode: 0o755 });
writeFileSync(join(root, "test.sh"), '#!/bin/sh\n[ "$(./add.sh 2 3)" = 5 ] && echo passed\n', {
  mode: 0o755,
});
if (process.getuid?.() === 0) for (const path of [base, root]) chownSync(path, 1000, 1000);

await using workspace = await openWorkspace({ roots: [root], sidecars: join(base, "sidecars") });
await using session = await workspace.createSession({
  tools: standardTools({ pdf: pdfReader() }),
  policy: ["allow fs.read {workspace}/**"],
  approver: async ({ toolName, reason }) => {
    show(`  asked about ${toolName}: ${reason}`);
    return { verdict: "once" };
  },
});

// The calls of a model.
const calls = [
  ["bash", { command: "./test.sh" }],
  ["grep", { pattern: "echo", glob: "add*" }],
  ["read", { path: "add.sh" }],
  ["edit", { path: "add.sh", old_string: "$1 - $2", new_string: "$1 + $2" }],
  ["bash", { command: "./test.sh" }],
  ["write", { path: ".git/hooks/pre-commit", content: "#!/bin/sh\n./test.sh\n" }],
] as const;
for (const [index, [name, args]] of calls.entries()) {
  show(`${name} ${JSON.stringify(args)}`);
  show(`  ${modelText(await session.call({ id: `c${index}`, name, arguments: args }))}`);
}
await session.close();
await workspace.close();
rmSync(base, { recursive: true });

function show(text: string): void {
  console.log(text.trimEnd().replaceAll(`${root}/`, "").replaceAll("\n", "\n  "));
}
