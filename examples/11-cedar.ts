import { isAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { createSession, defineTool, effects } from "@toolkeep/core";
import type { PolicyContext, Watchdog } from "@toolkeep/core/policy";

// The release group may push, unless the session has read something from outside.
const policies = `
  permit (principal, action == Action::"net.fetch", resource);
  permit (principal in Group::"release", action == Action::"git.push", resource)
    when { resource.target like "origin *" };
  forbid (principal, action == Action::"git.push", resource)
    when { context.taint.contains("untrusted") };
`;

/** Every effect of a call must be permitted: by this principal, this capability, on this target. */
const cedar: Watchdog = {
  name: "cedar",
  evaluate({ effects }, context) {
    const refused = effects.find(({ capability, target }) => !permits(capability, target, context));
    if (refused === undefined) return { action: "allow" };
    return { action: "deny", reason: `Cedar does not permit ${refused.capability} on ${refused.target}.` };
  },
};

function permits(capability: string, target: string, { principal, taint }: PolicyContext): boolean {
  const user = { type: "User", id: principal.user ?? "anonymous" };
  const resource = { type: "Target", id: target };
  const groups = (principal.groups ?? []).map((id) => ({ type: "Group", id }));
  const answer = isAuthorized({
    principal: user,
    action: { type: "Action", id: capability },
    resource,
    context: { taint: [...taint] },
    policies: { staticPolicies: policies },
    entities: [
      { uid: user, attrs: {}, parents: groups },
      { uid: resource, attrs: { target }, parents: [] },
    ],
  });
  // Throwing denies. Cedar skips a policy that fails, and that may have been the one that forbids.
  if (answer.type === "failure") throw new Error(answer.errors[0]?.message);
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors[0] !== undefined) throw new Error(diagnostics.errors[0].error.message);
  return decision === "allow";
}

const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetches a page.",
  inputSchema: { type: "object" },
  requires: { net: { hosts: ["docs.example"] } },
  effects: () => [effects.fetch("docs.example")],
  execute: () => "a page, and who knows what else",
});

const push = defineTool({
  name: "push",
  description: "Pushes a branch.",
  inputSchema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
  requires: { capabilities: ["git.push"] },
  effects: ({ branch }) => [effects.of("git.push", `origin ${branch}`)],
  execute: ({ branch }) => `pushed ${branch}`,
});

await using session = await createSession({
  tools: [fetchPage, push],
  principal: { user: "ada", groups: ["release"] },
  policy: { rules: ["allow *"], watchdogs: [cedar] },
});

for (const name of ["push", "fetch_page", "push"] as const) {
  const result = await session.call(name, { branch: "main" });
  console.log(`${name}: ${result.ok ? result.data : result.failure?.message}`);
}
