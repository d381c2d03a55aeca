import { effect, fsWrite, type Rule, shellRun } from "@toolkeep/core";
import { circumstancesOf, compilePolicy, explainText, judgedCall } from "@toolkeep/core/policy";

const rules: Rule[] = [
  { action: "allow", permission: "fs.write", pattern: "{workspace}/src/**", at: "policy.yaml:3" },
  { action: "deny", permission: "fs.*", pattern: "**/.env*", because: "Keys stay here", at: "policy.yaml:4" },
  { action: "allow", permission: "shell.run", pattern: "npm test *", if: ["sandboxed"], at: "policy.yaml:5" },
  { action: "deny", permission: "git.push", if: ["forced"], at: "policy.yaml:6" },
];
const policy = compilePolicy({ rules, variables: { workspace: ["/repo"] } });
const sandboxed = circumstancesOf({ sandbox: "files" });

const calls = [
  judgedCall({ tool: "edit", effects: [fsWrite("/repo/src/a.ts")] }),
  judgedCall({ tool: "edit", effects: [fsWrite("/repo/src/.env.local")] }),
  judgedCall({ tool: "bash", effects: [shellRun(["npm", "test"])] }),
  judgedCall({ tool: "push", effects: [{ ...effect("git.push", "origin main"), forced: true }] }),
  judgedCall({ tool: "edit", effects: [fsWrite("/repo/.git/hooks/pre-commit")] }),
];
for (const call of calls) console.log(explainText(await policy.explain(call, sandboxed)));
