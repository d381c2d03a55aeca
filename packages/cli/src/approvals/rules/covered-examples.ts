import { homedir } from "node:os";
import { join } from "node:path";
import { createRegistry, memoryStore, type Rule } from "@toolkeep/core";
import {
  compilePolicy,
  type Explanation,
  type PolicyCall,
  policyCall,
  policyContext,
} from "@toolkeep/core/policy";
import { directories } from "@toolkeep/node/internal";
import type { DryRunName } from "../../clients/hook-call.ts";
import { openConversation } from "../../hooks/decide/conversation/open-conversation.ts";
import { dryRunTools } from "../../hooks/decide/dry-run/dry-run-tools.ts";
import type { Project } from "../../project/read-project.ts";
import { DANGEROUS_COMMANDS, OWN_COMMANDS, WAYS_TO_START, WRITTEN_FILES } from "./example-calls.ts";

type Decision = Explanation["decision"];

/** A call that a rule may cover without its author meaning it. */
interface Example {
  readonly tool: DryRunName;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly shown: string;
  /** A rule against it protects Toolkeep itself, or keys: no added rule may weaken that. */
  readonly isHeld?: true;
}

const HELD_COMMANDS = [
  ...WAYS_TO_START.flatMap((start) => OWN_COMMANDS.map((command) => `${start}toolkeep ${command}`)),
  "cat ~/.ssh/id_rsa",
];

function examples(root: string): readonly Example[] {
  const command = (line: string): Example => ({ tool: "bash", arguments: { command: line }, shown: line });
  const file = (tool: "read" | "write" | "delete", path: string): Example => ({
    tool,
    arguments: { path, ...(tool === "write" ? { content: "" } : {}) },
    shown: `${tool} ${path}`,
  });
  const held = (one: Example): Example => ({ ...one, isHeld: true });
  const { config, state } = directories();
  const key = join(homedir(), ".ssh", "id_rsa");
  return [
    ...DANGEROUS_COMMANDS.map(command),
    ...WRITTEN_FILES.map((path) => ({ ...file("write", join(root, path)), shown: `write ${path}` })),
    file("write", join(homedir(), ".bashrc")),
    file("read", join(root, ".env")),
    file("read", "/etc/passwd"),
    file("delete", join(root, "src", "index.js")),
    ...["http://169.254.169.254/", "https://unknown.example/"].map(
      (url): Example => ({ tool: "web_fetch", arguments: { url }, shown: `fetch ${url}` }),
    ),
    ...HELD_COMMANDS.map(command).map(held),
    ...[file("read", key), file("write", key)].map(held),
    ...[join(config, "policy.yaml"), join(state, "pauses.json")].map((path) => held(file("write", path))),
  ];
}

export interface Coverage {
  /** What asked or was denied before, and would be allowed. */
  readonly others: readonly string[];
  /** What would be decided less strictly, of what protects Toolkeep itself or keys. */
  readonly held: readonly string[];
  /** What a call that the rule was written for would get; absent where no such call can be told from its pattern. */
  readonly itself?: { readonly shown: string; readonly decision: Decision };
}

/**
 * What rules would change, by trying them on examples, each as if its `when` held: it may hold at another hour. Nothing
 * is executed or recorded.
 */
export async function coverageOf(written: readonly Rule[], project: Project): Promise<Coverage> {
  const rules = written.map(({ when: _, ...rule }): Rule => rule);
  const before = await explainer(project);
  const added = [...(project.policy.rules ?? []), ...rules];
  const after = await explainer({ ...project, policy: { ...project.policy, rules: added } });
  const others: string[] = [];
  const held: string[] = [];
  for (const { shown, isHeld, ...example } of examples(project.root)) {
    const now = strictness(await after(example));
    if (now === DENIED || (isHeld !== true && now > 0) || now >= strictness(await before(example))) continue;
    (isHeld === true ? held : others).push(shown);
  }
  const itself = await ownDecision(rules, { ...project, policy: { ...project.policy, rules: added } }, after);
  return { others, held, ...(itself === undefined ? {} : { itself }) };
}

type Explain = (example: Pick<Example, "tool" | "arguments">) => Promise<Decision | undefined>;

const STRICTNESS = ["allow", "ask", "deny"];
const DENIED = STRICTNESS.indexOf("deny");

/** A call that fails before it is decided does not run. */
function strictness(decision: Decision | undefined): number {
  return STRICTNESS.indexOf(decision?.action ?? "deny");
}

/** What a call gets that the rule is written for: its pattern with plain words for the wildcards. */
async function ownDecision(
  rules: readonly Rule[],
  { root, policy }: Pick<Project, "root" | "policy">,
  explain: Explain,
): Promise<Coverage["itself"]> {
  const [rule] = rules;
  if (rule === undefined || rules.length > 1) return undefined;
  const { permission, pattern } = rule;
  const plain = plainOf(pattern ?? "*", root);
  const example = exampleOf(permission, plain, root);
  if (example !== undefined) {
    const decision = pattern === undefined ? undefined : await explain(example);
    return decision === undefined ? undefined : { shown: example.shown, decision };
  }
  const call = offlineCall(plainOf(permission, root), plain);
  const compiled = compilePolicy({ ...policy, variables: { workspace: [root] } });
  return {
    shown: pattern === undefined ? permission : `${permission} ${plain}`,
    decision: await compiled.decide(call, policyContext({ roots: [root] })),
  };
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

async function explainer(project: Project): Promise<Explain> {
  const registry = createRegistry();
  for (const tool of dryRunTools()) registry.register(tool);
  const conversation = { sessionId: "examples", registry, project, by: "examples", asked: () => undefined };
  const session = await openConversation(memoryStore(), conversation);
  return async ({ tool, arguments: args }) =>
    (await session.explain({ id: "example", name: tool, arguments: args })).explanation?.decision;
}

const TOOLS: Readonly<Record<string, "read" | "write" | "delete">> = {
  "fs.read": "read",
  "fs.write": "write",
  "fs.delete": "delete",
};

function exampleOf(permission: string, plain: string, root: string): Example | undefined {
  if (permission === "shell.run") return { tool: "bash", arguments: { command: plain }, shown: plain };
  if (permission === "net.fetch")
    return { tool: "web_fetch", arguments: { url: `https://${plain}/` }, shown: `fetch ${plain}` };
  const tool = TOOLS[permission];
  if (tool === undefined) return undefined;
  const path = plain.startsWith("/") ? plain : join(root, plain);
  return {
    tool,
    arguments: { path, ...(tool === "write" ? { content: "" } : {}) },
    shown: `${tool} ${path}`,
  };
}
