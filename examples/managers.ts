import { execFileSync } from "node:child_process";
import { chownSync, globSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelText } from "@toolkeep/core/formats";
import { dangerousActions, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace } from "@toolkeep/node";
import { managerTools } from "@toolkeep/tools";

// A small repository. Root gives it to an ordinary user, as whom its commands run.
using base = mkdtempDisposableSync(join(tmpdir(), "project-"));
const root = join(base.path, "ws");
mkdirSync(root, { mode: 0o755 });
writeFileSync(join(root, "notes.md"), "# Notes\n\nBuy milk.\n");
execFileSync("git", ["init", "-q", "-b", "main"], { cwd: root });
if (process.getuid?.() === 0)
  for (const path of ["..", ".", ...globSync("{**,.git/**}", { cwd: root })])
    chownSync(join(root, path), 1000, 1000);

await using workspace = await openWorkspace({ roots: [root], sidecars: join(base.path, "sidecars") });
await using session = await workspace.createSession({
  tools: managerTools(),
  // The rules know actions by name, and the watchdog asks about those that run code, delete, commit or push.
  policy: {
    ...RECOMMENDED_POLICY,
    rules: ["deny git_manager.push", ...RECOMMENDED_POLICY.rules],
    watchdogs: [dangerousActions()],
  },
  approver: async ({ toolName, arguments: args, reason }) => {
    say(`  asked about ${toolName} ${JSON.stringify(args)}: ${reason}`);
    return { verdict: toolName === "file_manager" ? "reject" : "once" };
  },
});

// What a model might call, one after the other.
const calls = [
  ["file_manager", { action: "append", path: "notes.md", content: "Buy bread.\n" }],
  ["code_search", { pattern: "Buy" }],
  ["diff_editor", { action: "apply", patch: patchOf("Buy milk.", "Buy oat milk.") }],
  ["git_manager", { action: "add", paths: ["notes.md"] }],
  ["git_manager", { action: "status" }],
  ["bash_manager", { command: "wc -l notes.md" }],
  ["file_manager", { action: "delete", path: "notes.md" }],
  ["git_manager", { action: "push", name: "main" }],
] as const;
for (const [name, args] of calls) {
  say(`${name} ${"action" in args ? args.action : ""}`);
  say(`  ${modelText(await session.call(name, args))}`);
}

function patchOf(before: string, after: string): string {
  return `*** Begin Patch\n*** Update File: notes.md\n-${before}\n+${after}\n*** End Patch`;
}

function say(text: string): void {
  console.log(text.trimEnd().replaceAll(`${root}/`, "").replaceAll("\n", "\n  "));
}
