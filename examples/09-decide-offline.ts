import { effects } from "@toolkeep/core";
import { compilePolicy, explainText, policyCall, policyContext } from "@toolkeep/core/policy";

const policy = compilePolicy({
  rules: [
    "allow fs.write {workspace}/src/**",
    'deny fs.* **/.env* because "Keys stay here"',
    'allow shell.run "npm test *" if sandboxed',
    "deny git.push if forced",
  ],
  variables: { workspace: ["/repo"] },
});
const sandboxed = policyContext({ sandbox: "files-and-network" });

const calls = [
  policyCall({ tool: "edit", effects: [effects.write("/repo/src/a.ts")] }),
  policyCall({ tool: "edit", effects: [effects.write("/repo/src/.env.local")] }),
  policyCall({ tool: "bash", effects: [effects.run(["npm", "test"])] }),
  policyCall({ tool: "push", effects: [{ ...effects.of("git.push", "origin main"), forced: true }] }),
  policyCall({ tool: "edit", effects: [effects.write("/repo/.git/hooks/pre-commit")] }),
];
for (const call of calls) console.log(explainText(await policy.explain(call, sandboxed)));
