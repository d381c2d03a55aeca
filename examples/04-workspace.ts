import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { openWorkspace, pdfReader } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";

// A small project with a mistake in it. Commands never run as root: whoever is root gives it away.
const base = mkdtempSync(join(tmpdir(), "project-"));
const root = join(base, "ws");
mkdirSync(root, { mode: 0o755 });
writeFileSync(join(root, "add.sh"), "#!/bin/sh\necho $(($1 - $2))\n", { mode: 0o755 });
writeFileSync(join(root, "test.sh"), '#!/bin/sh\n[ "$(./add.sh 2 3)" = 5 ] && echo passed\n', {
  mode: 0o755,
});
if (process.getuid?.() === 0) for (const path of [base, root]) chownSync(path, 1000, 1000);

const workspace = await openWorkspace({ roots: [root], sidecars: join(base, "sidecars") });
const session = await workspace.createSession({
  tools: standardTools({ pdf: pdfReader() }),
  policy: { mode: "ask", rules: [{ permission: "fs.read", pattern: "{workspace}/**", action: "allow" }] },
  // Whoever answers: here somebody who reads what is asked and says yes.
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
for (const [index, [name, args]] of calls.entries()) {
  say(`${name} ${JSON.stringify(args)}`);
  say(`  ${modelText(await session.call({ id: `c${index}`, name, arguments: args }))}`);
}

await session.close();
await workspace.close();
rmSync(base, { recursive: true });

function say(text: string): void {
  console.log(text.trimEnd().replaceAll(`${root}/`, "").replaceAll("\n", "\n  "));
}
