import { isAbsolute, join } from "node:path";
import { createRegistry, memoryStore, type Rule } from "@toolkeep/core";
import { exactPattern } from "@toolkeep/core/internal";
import {
  compilePolicy,
  type Explanation,
  type PolicyCall,
  policyCall,
  policyContext,
} from "@toolkeep/core/policy";
import type { DryRunName } from "../../clients/hook-call.ts";
import { openConversation } from "../../hooks/decide/conversation/open-conversation.ts";
import { dryRunTools } from "../../hooks/decide/dry-run/dry-run-tools.ts";
import type { Project } from "../../project/read-project.ts";

/** A call to try rules on. */
export interface Example {
  readonly tool: DryRunName;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly shown: string;
}

/** What a call gets that a rule was written for. */
export interface TriedCall {
  readonly shown: string;
  readonly decision: Explanation["decision"];
  /** Rules that are needed as well, where it still asks and they would allow it. */
  readonly missing: readonly Rule[];
  /** The rule ends in a wildcard, and no option is known that this covers. */
  readonly hasNoOptions: boolean;
}

type Explain = (example: {
  readonly tool: string;
  readonly arguments: Example["arguments"];
}) => Promise<Explanation | undefined>;

/** Decides about calls at the beginning of a conversation. Nothing is executed or recorded. */
export async function explainer(project: Project): Promise<Explain> {
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  const conversation = { sessionId: "examples", registry, project, by: "examples" };
  const session = await openConversation(memoryStore(), conversation);
  return async ({ tool, arguments: args }) =>
    (await session.explain({ id: "example", name: tool, arguments: args })).explanation;
}

export function withRules(project: Project, rules: readonly Rule[]): Project {
  const { policy } = project;
  return { ...project, policy: { ...policy, rules: [...(policy.rules ?? []), ...rules] } };
}

/** Tries a rule on a call that it is written for, with plain words for wildcards; `undefined` if none can be told. */
export async function triedCall(rule: Rule, project: Project): Promise<TriedCall | undefined> {
  const { permission, pattern } = rule;
  const { root } = project;
  const added = withRules(project, [rule]);
  const plain = plainOf(pattern ?? "*", root);
  const example = exampleOf(permission, plain, root);
  if (example === undefined) {
    const call = offlineCall(plainOf(permission, root), plain);
    const compiled = compilePolicy({ ...added.policy, variables: { workspace: [root] } });
    const decision = await compiled.decide(call, policyContext({ roots: [root] }));
    const shown = pattern === undefined ? permission : `${permission} ${plain}`;
    return { shown, decision, missing: [], hasNoOptions: false };
  }
  const explain = await explainer(added);
  const explained = pattern === undefined ? undefined : await explain(example);
  if (explained === undefined) return undefined;
  const { decision } = explained;
  return {
    ...{ shown: example.shown, decision },
    missing: await missingRules(example, explained, added),
    hasNoOptions: decision.action === "allow" && (await hasNoOptions(rule, { plain, explain })),
  };
}

/** The rules on nothing but the effects that a call still asks about; none where something else asks too. */
export async function missingRules(
  example: { readonly tool: string; readonly arguments: Example["arguments"] },
  { decision, steps }: Explanation,
  project: Project,
): Promise<readonly Rule[]> {
  if (decision.action !== "ask") return [];
  const rules = new Map<string, Rule>();
  for (const { said, effect } of steps) {
    if (said !== "ask") continue;
    const pattern = effect === undefined ? undefined : exactPattern(effect.capability, effect.target);
    if (effect === undefined || pattern === undefined) return [];
    const { capability: permission } = effect;
    rules.set(`${permission} ${pattern}`, { action: "allow", permission, pattern });
  }
  const explain = await explainer(withRules(project, [...rules.values()]));
  return (await explain(example))?.decision.action === "allow" ? [...rules.values()] : [];
}

const OPTIONS = ["-v", "-q", "--verbose", "--quiet", "--help", "--version", "--json", "-n", "-l"];

async function hasNoOptions(
  { action, permission, pattern = "" }: Rule,
  { plain, explain }: { readonly plain: string; readonly explain: Explain },
): Promise<boolean> {
  if (action !== "allow" || permission !== "shell.run" || !pattern.endsWith(" *")) return false;
  for (const option of OPTIONS) {
    const explained = await explain({ tool: "bash", arguments: { command: `${plain} ${option}` } });
    if (explained?.decision.action === "allow") return false;
  }
  return true;
}

function offlineCall(permission: string, target: string): PolicyCall {
  const [, serverId, tool] = /^mcp:([^:]+):(.+)$/.exec(permission) ?? [];
  if (serverId === undefined || tool === undefined)
    return policyCall({ tool: "example", effects: [{ capability: permission, target }] });
  const effects = [{ capability: "mcp.call", target: `${serverId}:${tool}` }];
  return policyCall({ tool: `${serverId}_${tool}`, source: "mcp", remote: { serverId, tool }, effects });
}

function plainOf(pattern: string, root: string): string {
  return pattern
    .replace(/ \*$/, "")
    .replaceAll("{workspace}", root)
    .replaceAll(/\{([^{},]*)(?:,[^{}]*)?\}/g, "$1")
    .replaceAll(/\*+/g, "example")
    .replaceAll("?", "x");
}

/** Commands that have the effect. */
const COMMANDS: Readonly<Record<string, string>> = {
  "shell.run": "",
  "git.push": "git push ",
  "package.install": "npx ",
};

function exampleOf(permission: string, plain: string, root: string): Example | undefined {
  const start = Object.hasOwn(COMMANDS, permission) ? COMMANDS[permission] : undefined;
  if (start !== undefined) {
    const command = `${start}${plain}`;
    return { tool: "bash", arguments: { command }, shown: command };
  }
  if (permission === "net.fetch")
    return { tool: "web_fetch", arguments: { url: `https://${plain}/` }, shown: `fetch ${plain}` };
  const tool = (["read", "write", "delete"] as const).find((name) => permission === `fs.${name}`);
  if (tool === undefined) return undefined;
  const path = isAbsolute(plain) ? plain : join(root, plain);
  return {
    tool,
    arguments: { path, ...(tool === "write" ? { content: "" } : {}) },
    shown: `${tool} ${path}`,
  };
}
