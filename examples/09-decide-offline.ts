import type { Rule } from "@toolkeep/core";
import { effects } from "@toolkeep/core";
import { compilePolicy, explainText, policyCall, policyContext } from "@toolkeep/core/policy";

const rules: Rule[] = [
  { action: "allow", permission: "fs.write", pattern: "{workspace}/src/**", at: "policy.yaml:3" },
  { action: "deny", permission: "fs.*", pattern: "**/.env*", because: "Keys stay here", at: "policy.yaml:4" },
  { action: "allow", permission: "shell.run", pattern: "npm test *", if: ["sandboxed"], at: "policy.yaml:5" },
  { action: "deny", permission: "git.push", if: ["forced"], at: "policy.yaml:6" },
];
const policy = compilePolicy({ rules, variables: { workspace: ["/repo"] } });
const sandboxed = policyContext({ sandbox: "files" });

const calls = [
  policyCall({ tool: "edit", effects: [effects.write("/repo/src/a.ts")] }),
  policyCall({ tool: "edit", effects: [effects.write("/repo/src/.env.local")] }),
  policyCall({ tool: "bash", effects: [effects.run(["npm", "test"])] }),
  policyCall({ tool: "push", effects: [{ ...effects.of("git.push", "origin main"), forced: true }] }),
  policyCall({ tool: "edit", effects: [effects.write("/repo/.git/hooks/pre-commit")] }),
];
for (const call of calls) console.log(explainText(await policy.explain(call, sandboxed)));
