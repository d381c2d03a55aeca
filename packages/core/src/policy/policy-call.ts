import type { Arguments, PolicyCall, PolicyTool } from "../contract/call.ts";
import type { Effect } from "../contract/effect.ts";
import { modeOfName, type ToolMode } from "../contract/mode.ts";
import { type Origin, originName, type SourceKind } from "../contract/origin.ts";
import type { PolicyContext } from "../contract/policy-context.ts";
import type { RemoteAddress } from "../contract/tool.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { definitionFingerprint } from "./approvals/fingerprint.ts";
import type { ExplainedStep } from "./explanation.ts";

/** What is known of a call that nobody makes: a test's, or one from the record. */
export interface PolicyCallInput {
  readonly tool: string;
  readonly effects: readonly Effect[];
  readonly args?: Arguments;
  /** `code` where it is left out. */
  readonly source?: SourceKind;
  readonly remote?: RemoteAddress;
  readonly mode?: ToolMode;
  readonly gated?: boolean;
  readonly actionArgument?: string;
  readonly id?: string;
}

/** A call to be judged offline. Its effects count as canonical already. */
export function policyCall(input: PolicyCallInput): PolicyCall {
  const { tool: name, effects, args = {}, source = "code", remote, actionArgument } = input;
  const origin: Origin = { layer: source === "bundled" ? "bundled" : "code", source, ...idOf(remote) };
  return {
    id: input.id ?? "hypothetical",
    found: {
      name,
      origin,
      originName: originName(origin),
      tool: {
        mode: input.mode ?? modeOfName(name),
        gated: input.gated ?? true,
        ...(remote === undefined ? {} : { remote }),
        ...(actionArgument === undefined ? {} : { actionArgument }),
      },
    },
    args,
    argsText: JSON.stringify(args),
    effects: effects.map((effect) => ({ ...effect, known: effect.known ?? "declared" })),
  };
}

function idOf(remote: RemoteAddress | undefined): { id?: string } {
  return remote === undefined ? {} : { id: remote.serverId };
}

const shapes = createRedactor();

/** Circumstances in which nothing has happened yet, but for what is said. */
export function policyContext(known: Partial<PolicyContext> = {}): PolicyContext {
  return {
    sessionId: "hypothetical",
    principal: { role: "agent", workspace: "main" },
    agents: [],
    sandbox: "none",
    roots: [],
    changedScripts: new Set(),
    taint: new Set(),
    requires: {},
    last: undefined,
    holdsSecret: (text) => shapes.find(text).length > 0,
    isApproved: () => false,
    definitionHash: definitionFingerprint,
    ...known,
  };
}

/** One call before the policy. */
export interface PolicyInput {
  readonly call: PolicyCall;
  readonly context: PolicyContext;
  /** Where the layers write down what they said; missing when nobody wants to know. */
  readonly trace: ExplainedStep[] | undefined;
}

/** The action that was chosen, for a tool that has several: rules may name it as `tool.action`. */
export function actionOf({ found, args }: PolicyCall): string | undefined {
  const { actionArgument } = found.tool;
  if (actionArgument === undefined) return undefined;
  const chosen = args[actionArgument];
  return typeof chosen === "string" ? chosen : undefined;
}

/** `mcp:server:tool`, for a tool that lives on an MCP server. */
export function mcpAddress({ origin, tool }: PolicyTool): string | undefined {
  if (origin.source !== "mcp" || tool.remote === undefined) return undefined;
  return `mcp:${tool.remote.serverId}:${tool.remote.tool}`;
}
