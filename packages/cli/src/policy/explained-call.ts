import { createRegistry, memoryStore, type Principal, type Rule } from "@toolkeep/core";
import type { Explained } from "@toolkeep/core/policy";
import { prefixedName } from "@toolkeep/mcp/internal";
import { missingRules } from "../approvals/rules/try-rules.ts";
import type { DryRunName } from "../clients/hook-call.ts";
import { openConversation } from "../hooks/decide/conversation/open-conversation.ts";
import { resolvedCalls } from "../hooks/decide/conversation/resolved-calls.ts";
import { dryRunTools } from "../hooks/decide/dry-run/dry-run-tools.ts";
import { dryRunTool } from "../hooks/decide/dry-run/remote-dry-run-tool.ts";
import type { Project } from "../project/read-project.ts";
import { usageError } from "../terminal/command-error.ts";
import { mappedTool } from "./mapped-tool.ts";
import type { TypedCall } from "./typed-call.ts";

export interface ExplainedPart extends TypedCall {
  readonly explained: Explained;
  /** Rules that were tried, and that together allow the call and nothing else. */
  readonly allowing: readonly Rule[];
}

export interface ExplainSetting {
  readonly project: Project;
  readonly cwd: string;
  /** Whether commands run in a sandbox that holds files and the network. */
  readonly isSandboxed: boolean;
  /** On whose behalf it is made. Default: that of the program. */
  readonly principal?: Partial<Principal> | undefined;
  /** For rules that ask for the time, in milliseconds. Default: now. */
  readonly at?: number | undefined;
}

/**
 * The decision of a project's policy on a call, as a hook would get it at the beginning of a conversation. A command
 * that starts outside of the project is two calls. Nothing is executed or recorded.
 * @throws CommandError for a tool that is not known.
 */
export async function explainedCall(
  call: TypedCall,
  { project: own, cwd, isSandboxed, principal, at }: ExplainSetting,
): Promise<readonly ExplainedPart[]> {
  const project = principal === undefined ? own : { ...own, principal };
  const { registry, calls } = await withTools(call, project, cwd);
  const session = await openConversation(memoryStore(), {
    ...{ sessionId: "explain", registry, project, by: "explain" },
    ...(isSandboxed ? { isolation: "files-and-network" as const } : {}),
  });
  const parts: ExplainedPart[] = [];
  for (const one of calls) {
    const request = { id: "explain", name: one.tool, arguments: one.arguments };
    const explained = await session.explain(request, at === undefined ? {} : { at });
    parts.push({ ...one, explained, allowing: await allowingRules(one, explained, project) });
  }
  await session.close();
  return parts;
}

/** The user may also allow by rules what no answer to a question allows for longer than once. */
async function allowingRules(
  call: TypedCall,
  { explanation }: Explained,
  project: Project,
): Promise<readonly Rule[]> {
  if (explanation === undefined) return [];
  return explanation.exactRules ?? (await missingRules(call, explanation, project));
}

async function withTools(call: TypedCall, project: Project, cwd: string) {
  const registry = createRegistry();
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(call.tool) ?? [];
  if (server !== undefined && tool !== undefined) {
    const address = { server, tool };
    const found = await mappedTool(address, project.root);
    const origin = { layer: "project", source: "mcp", id: server } as const;
    registry.register(dryRunTool(address, found), { origin });
    return { registry, calls: [{ ...call, tool: prefixedName(address) }] };
  }
  assertKnownTool(call.tool);
  for (const one of dryRunTools()) registry.register(one);
  const dryRun = { tool: call.tool as DryRunName, arguments: call.arguments };
  return { registry, calls: await resolvedCalls({ calls: [dryRun], cwd }, project) };
}

/** @throws CommandError for a tool that no dry run stands for. */
export function assertKnownTool(tool: string): void {
  const names = dryRunTools().map(({ name }) => name);
  if (names.includes(tool) || /^mcp:[^:]+:.+$/.test(tool)) return;
  throw usageError(
    `The tool ${JSON.stringify(tool)} is not known.`,
    `Use one of ${names.join(", ")}, or mcp:SERVER:TOOL.`,
  );
}
