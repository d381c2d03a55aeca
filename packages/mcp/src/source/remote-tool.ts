import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import {
  defineTool,
  type Effect,
  type JsonSchema,
  type RequirementSet,
  type Tool,
  type ToolContext,
} from "@toolkeep/core";
import type { Connection } from "../connection/news/connection.ts";
import { absolutePaths } from "../effect-maps/absolute-paths.ts";
import type { MappedTool } from "../effect-maps/effect-map.ts";
import { effectsOf } from "../effect-maps/effects-of.ts";
import { requirementsOf } from "../effect-maps/requirements-of.ts";
import { unknownArguments } from "../effect-maps/unknown-arguments.ts";
import { DEFAULT_TIMES } from "../servers/narrow-settings.ts";
import type { ServerSettings } from "../servers/server-entry.ts";
import { checkableSchema, leftOutMessage } from "./checkable-schema.ts";
import { reachable } from "./server-call.ts";
import type { ToolAddress } from "./tool-name.ts";
import { toolResult } from "./tool-result.ts";

export interface RemoteToolParts {
  /** The name it is registered under. */
  readonly name: string;
  readonly definition: McpTool;
  /** Hash of the definition, so that approvals end with it. */
  readonly hash: string;
  readonly connection: Connection;
  readonly settings: ServerSettings;
  /** What it does, according to an effect map. */
  readonly mapped: MappedTool | undefined;
  /** The working directory of its program, which relative paths in arguments start from. Default: they are refused. */
  readonly folder?: string | undefined;
}

const LONGEST_LABEL = 80;
type Args = Readonly<Record<string, unknown>>;

/** A server's tool as one of ours. Its claims only affect how it is shown: without a map it is `mcp.call`, and asks. */
export function remoteTool(parts: RemoteToolParts): Tool {
  const { name, definition, hash, connection, settings, mapped } = parts;
  const { description, title, annotations, inputSchema, outputSchema } = definition;
  const server = connection.name;
  const isDestructive = annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
  const text =
    description === undefined || description.trim() === ""
      ? `The tool ${definition.name} of the MCP server ${server}. It has no description.`
      : description;
  const governance = serverToolGovernance({ server, tool: definition.name }, mapped, settings.files);
  const { schema, leftOut } = checkableSchema(inputSchema as JsonSchema);
  return defineTool({
    name,
    label: `${server}: ${title ?? definition.name}`.slice(0, LONGEST_LABEL),
    description: `${text}${leftOutMessage(leftOut)}`,
    inputSchema: schema,
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonSchema }),
    ...governance,
    effects: (args: unknown) => governance.effects(sentArguments(parts, args)),
    ...(mapped === undefined && isDestructive ? { mode: "destructive" as const } : {}),
    ...(mapped === undefined ? { kind: "other" as const } : {}),
    idempotent: mapped !== undefined && (mapped.idempotent ?? mapped.mode === "read"),
    codeHash: hash,
    timeoutMs: settings.timeoutMs ?? DEFAULT_TIMES.timeoutMs,
    stateSlot: { version: 1 },
    execute: (args: unknown, ctx: ToolContext) => callRemote(parts, sentArguments(parts, args) as Args, ctx),
  }) as Tool;
}

/** The arguments that the server gets. They are also the ones that the effects are read from. */
function sentArguments({ mapped, folder }: RemoteToolParts, args: unknown): unknown {
  return mapped === undefined || folder === undefined ? args : absolutePaths(mapped, args, folder);
}

/**
 * What governs every call of a server's tool: its mode, requirements and effects. Used for the tools of connected servers
 * and for dry runs of calls that another client makes, so that both get the same decision.
 */
export function serverToolGovernance(
  { server, tool }: ToolAddress,
  mapped: MappedTool | undefined,
  files: readonly string[] = [],
) {
  const address = `${server}:${tool}`;
  const own = mapped === undefined ? {} : requirementsOf(mapped, files);
  const requires: RequirementSet = {
    ...own,
    capabilities: [...new Set([...(own.capabilities ?? []), "mcp.call"])],
  };
  return {
    gated: true,
    mode: mapped?.mode ?? ("external" as const),
    requires,
    remote: { serverId: server, tool },
    effects: (args: unknown) => effects(address, mapped, args),
    deriveApprovalKey: (args: unknown) => approvalKey(address, mapped, args),
  } as const;
}

function isOpaque(mapped: MappedTool | undefined, args: unknown): boolean {
  return mapped !== undefined && unknownArguments(mapped, args).length > 0;
}

/** An `always` for an opaque call is for its arguments alone, and none for another call covers it. */
function approvalKey(address: string, mapped: MappedTool | undefined, args: unknown): string {
  if (!isOpaque(mapped, args)) return address;
  return `${address} ${createHash("sha256").update(JSON.stringify(args)).digest("hex")}`;
}

/** With mapped effects, the call of the server itself is implied by them, unless the map does not know an argument. */
function effects(address: string, mapped: MappedTool | undefined, args: unknown): readonly Effect[] {
  const declared = mapped === undefined ? [] : effectsOf(mapped, args);
  const call = { capability: "mcp.call", target: address } as const;
  if (declared.length === 0) return [call];
  return [
    ...declared.map((effect) => ({ ...effect, known: "inferred" as const })),
    isOpaque(mapped, args) ? call : { ...call, implied: true },
  ];
}

async function callRemote(
  { definition, connection, settings }: RemoteToolParts,
  args: Args,
  ctx: ToolContext,
) {
  const until = performance.now() + (settings.longestMs ?? DEFAULT_TIMES.longestMs);
  const result = await reachable(connection).call({
    tool: definition.name,
    arguments: args,
    signal: ctx.abortSignal,
    owner: ctx.sessionId,
    onProgress: (text, fraction) => {
      // Progress must not extend a call beyond its time limit.
      if (performance.now() < until) ctx.progress(text, fraction);
    },
    ask: (questions, inPlace) => {
      // A server that asks during a call has already acted: the call must not be sent again for the answer.
      if (inPlace === true || connection.server?.generation !== "modern") ctx.state.set({ asked: true });
      return ctx.ask(questions);
    },
  });
  return toolResult(result, settings.isPrivate === true ? ["private"] : []);
}
