import type { WatchdogVerdict } from "@toolkeep/core/policy";
import type { ModelMessage, ToolApprovalStatus } from "ai";
import type { SdkCall } from "./call-queue.ts";
import type { SdkTool } from "./sdk-tool.ts";

/** What the SDK tells an approval function, as far as it is passed on. */
export interface ApprovalQuestion {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly tools: unknown;
  readonly toolsContext: unknown;
  readonly runtimeContext: unknown;
  readonly messages: ModelMessage[];
}

/** An approval configuration of the application's own, in any of the SDK's shapes. */
export type OwnApproval = object | ((question: never) => unknown);

const NOTHING: WatchdogVerdict = Object.freeze({ action: "allow" });
const FAILED = "The application's own approval function failed.";

/** What the application's own approval configuration says of a call. One that throws denies. */
export async function verdictOfOwn(own: OwnApproval, question: ApprovalQuestion): Promise<WatchdogVerdict> {
  try {
    return verdictOf(await statusOf(own, question));
  } catch {
    return { action: "deny", reason: FAILED };
  }
}

/** What the tool's own `needsApproval` says of a call. One that throws denies. */
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
  reason: "The tool itself wants to be approved.",
});

/** The stricter of two. */
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
  const words = reason ?? "The application's own approval function minds.";
  return { action: type === "user-approval" ? "ask" : "deny", reason: words };
}

/** Names come from models and clients: what an object inherits is none of theirs. */
export function ownField(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Record<string, unknown>)[name];
}
