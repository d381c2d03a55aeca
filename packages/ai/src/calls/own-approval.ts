import type { WatchdogVerdict } from "@toolkeep/core/policy";
import type { ModelMessage, ToolApprovalStatus } from "ai";
import type { SdkTool } from "../foreign/input-shape.ts";
import type { SdkCall } from "./sdk-call.ts";

/** What the SDK passes to an approval function. */
export interface ApprovalQuestion {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly tools: unknown;
  readonly toolsContext: unknown;
  readonly runtimeContext: unknown;
  readonly messages: ModelMessage[];
}

/** The approval configuration of the application, in any form that the SDK accepts. */
export type OwnApproval = object | ((question: never) => unknown);

const NOTHING: WatchdogVerdict = Object.freeze({ action: "allow" });
const FAILED = "The application's approval function failed.";

/** The verdict of the application's approval configuration. An error denies. */
export async function verdictOfOwn(own: OwnApproval, question: ApprovalQuestion): Promise<WatchdogVerdict> {
  try {
    return verdictOf(await statusOf(own, question));
  } catch {
    return { action: "deny", reason: FAILED };
  }
}

/** The verdict of the tool's `needsApproval`. An error denies. */
export async function verdictOfTool(
  tool: SdkTool,
  call: SdkCall,
  context: unknown,
): Promise<WatchdogVerdict> {
  const { needsApproval } = tool;
  if (needsApproval === undefined || needsApproval === false) return NOTHING;
  if (needsApproval === true) return TOOL_ASKS;
  const { toolCallId, input } = call;
  try {
    const isWanted = await needsApproval(input, { toolCallId, messages: [...call.messages], context });
    return isWanted === false ? NOTHING : TOOL_ASKS;
  } catch {
    return { action: "deny", reason: FAILED };
  }
}

const TOOL_ASKS: WatchdogVerdict = Object.freeze({
  action: "ask",
  reason: "The tool declares needsApproval.",
});

/** The stricter of two verdicts. */
export function stricterOf(one: WatchdogVerdict, other: WatchdogVerdict): WatchdogVerdict {
  const order = ["allow", "ask", "deny"];
  return order.indexOf(other.action) > order.indexOf(one.action) ? other : one;
}

async function statusOf(own: OwnApproval, question: ApprovalQuestion): Promise<ToolApprovalStatus> {
  if (typeof own === "function") return (await own(question as never)) as ToolApprovalStatus;
  const { toolCall, messages, toolsContext, runtimeContext } = question;
  const { toolName, toolCallId, input } = toolCall;
  const ofTool: unknown = ownField(own, toolName);
  if (typeof ofTool !== "function") return ofTool as ToolApprovalStatus;
  const toolContext = ownField(toolsContext, toolName);
  const options = { toolCallId, messages, toolContext, runtimeContext };
  return (await (ofTool as (input: unknown, options: unknown) => unknown)(
    input,
    options,
  )) as ToolApprovalStatus;
}

function verdictOf(status: ToolApprovalStatus): WatchdogVerdict {
  const { type, reason } = typeof status === "object" ? status : { type: status, reason: undefined };
  if (type === undefined || type === "not-applicable" || type === "approved") return NOTHING;
  const why = reason ?? "The application's approval function objects.";
  return { action: type === "user-approval" ? "ask" : "deny", reason: why };
}

/** Reads an own property: names come from models and clients, and must not reach inherited ones. */
export function ownField(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Record<string, unknown>)[name];
}
