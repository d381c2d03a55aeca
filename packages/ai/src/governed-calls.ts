import type { Observer, ToolResult, WatchdogVerdict } from "@toolkeep/core";
import type { ToolApprovalStatus, ToolExecutionOptions, ToolSet } from "ai";
import { askForCall } from "./ask-for-call.ts";
import type { CallDesk, SdkCall } from "./call-desk.ts";
import type { Flights } from "./flights.ts";
import { whyUngoverned } from "./from-ai-sdk.ts";
import { noteRejections } from "./note-rejections.ts";
import {
  type ApprovalQuestion,
  type OwnApproval,
  ownField,
  stricterOf,
  verdictOfOwn,
  verdictOfTool,
} from "./own-approval.ts";
import { runCall } from "./run-call.ts";
import type { SdkTool } from "./sdk-tool.ts";
import type { Verdicts } from "./verdicts.ts";

export interface GovernedCallsParts {
  readonly tools: ToolSet;
  readonly desk: CallDesk & { readonly verdicts: Verdicts };
  readonly flights: Flights;
  /** The approval configuration that the application had before. */
  readonly own: OwnApproval | undefined;
}

/** The calls that the SDK makes, on their two ways to the gate. */
export class GovernedCalls {
  readonly #parts: GovernedCallsParts;

  constructor(parts: GovernedCallsParts) {
    this.#parts = parts;
  }

  /** What `toolApproval` answers. Tools that are not executed here are none of ours. */
  async ask(question: ApprovalQuestion): Promise<ToolApprovalStatus> {
    const { desk, own } = this.#parts;
    const { toolName, toolCallId, input } = question.toolCall;
    const tool = this.#toolOf(toolName);
    if (tool === undefined)
      return own === undefined ? undefined : statusOf(await verdictOfOwn(own, question));
    const call = { toolName, toolCallId, input, messages: question.messages };
    const ofTool = await verdictOfTool(tool, call, ownField(question.toolsContext, toolName));
    const ofOwn: WatchdogVerdict =
      own === undefined ? { action: "allow" } : await verdictOfOwn(own, question);
    desk.verdicts.set(toolCallId, stricterOf(ofTool, ofOwn));
    await desk.chat.use((session) => noteRejections(question.messages, session));
    return askForCall(call, desk);
  }

  /** What `execute` of a wrapped tool does. */
  async run(toolName: string, input: unknown, { options, onPartial }: Going): Promise<ToolResult> {
    const { desk, flights, tools } = this.#parts;
    const { toolCallId, messages } = options;
    const tool = tools[toolName] as SdkTool;
    const call = { toolName, toolCallId, input, messages };
    if (desk.verdicts.get(toolCallId) === undefined) {
      desk.verdicts.set(toolCallId, await this.#unasked(tool, call, options.context));
    }
    const flight = { tool, input, options, ...(onPartial === undefined ? {} : { onPartial }) };
    try {
      return await flights.during(flight, () => runCall(call, desk, options.abortSignal));
    } finally {
      desk.verdicts.delete(toolCallId);
    }
  }

  /** Nobody asked for approval before: the application did not give `toolApproval` to the SDK. */
  async #unasked(tool: SdkTool, call: SdkCall, context: unknown): Promise<WatchdogVerdict> {
    if (this.#parts.own === undefined) return verdictOfTool(tool, call, context);
    return { action: "ask", reason: "The application's own approval function was not asked." };
  }

  #toolOf(name: string): SdkTool | undefined {
    const tool = ownField(this.#parts.tools, name) as SdkTool | undefined;
    return tool === undefined || whyUngoverned(tool) !== undefined ? undefined : tool;
  }
}

/** A call on its way, with what the SDK gave for it. */
export interface Going {
  readonly options: ToolExecutionOptions<unknown>;
  readonly onPartial: ((partial: unknown) => void) | undefined;
}

/** Shows partial results to whoever executes the call. */
export function partialsTo(flights: Flights): Observer {
  return { name: "ai-sdk", afterUpdate: ({ callId, text }) => flights.partial(callId, text) };
}

function statusOf(verdict: WatchdogVerdict): ToolApprovalStatus {
  if (verdict.action === "allow") return undefined;
  return { type: verdict.action === "ask" ? "user-approval" : "denied", reason: verdict.reason };
}
