import { chownSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";

// A small project with a bug. Root gives it to an ordinary user, as whom its commands run.
using base = mkdtempDisposableSync(join(tmpdir(), "project-"));
const root = join(base.path, "ws");
mkdirSync(root, { mode: 0o755 });
writeFileSync(join(root, "add.sh"), "#!/bin/sh\necho $(($1 - $2))\n", { mode: 0o755 });
writeFileSync(join(root, "test.sh"), '#!/bin/sh\n[ "$(./add.sh 2 3)" = 5 ] && echo passed\n', {
  mode: 0o755,
});
if (process.getuid?.() === 0) for (const path of [base.path, root]) chownSync(path, 1000, 1000);

await using workspace = await openWorkspace({ roots: [root], sidecars: join(base.path, "sidecars") });
await using session = await workspace.createSession({
  tools: standardTools(),
  policy: ["allow fs.read {workspace}/**"],
  // `terminalApprover()` asks the user; this one prints the reason and approves.
  approver: async ({ toolName, reason }) => {
    say(`  asked about ${toolName}: ${reason}`);
    return { verdict: "once" };
  },
});

// What a model might call, one after the other.
const calls = [
  ["bash", { command: "./test.sh" }],
  ["grep", { pattern: "echo", glob: "add*" }],
  ["read", { path: "add.sh" }],
  ["edit", { path: "add.sh", old_string: "$1 - $2", new_string: "$1 + $2" }],
  ["bash", { command: "./test.sh" }],
  ["write", { path: ".git/hooks/pre-commit", content: "#!/bin/sh\n./test.sh\n" }],
] as const;
for (const [name, args] of calls) {
  say(`${name} ${JSON.stringify(args)}`);
  say(`  ${modelText(await session.call(name, args))}`);
}

function say(text: string): void {
  console.log(text.trimEnd().replaceAll(`${root}/`, "").replaceAll("\n", "\n  "));
}
