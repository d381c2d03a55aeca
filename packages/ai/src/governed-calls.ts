import type { Observer, ToolResult } from "@toolkeep/core";
import type { WatchdogVerdict } from "@toolkeep/core/policy";
import type { ToolApprovalStatus, ToolExecutionOptions } from "ai";
import { askForCall } from "./ask-for-call.ts";
import type { CallQueue, SdkCall } from "./call-queue.ts";
import type { InFlightCalls } from "./in-flight-calls.ts";
import type { InputShape } from "./input-shape.ts";
import { noteRejections } from "./note-rejections.ts";
import {
  type ApprovalQuestion,
  type OwnApproval,
  ownField,
  stricterOf,
  verdictOfOwn,
  verdictOfTool,
} from "./own-approval.ts";
import { isPlainData } from "./plain-data.ts";
import { runCall } from "./run-call.ts";
import type { SdkTool } from "./sdk-tool.ts";
import type { Verdicts } from "./verdicts.ts";

/** A tool that is executed here, with what its schema makes of arguments. */
export interface GovernedTool {
  readonly tool: SdkTool;
  readonly shape: InputShape;
}

export interface GovernedCallsParts {
  /** By name. Those that run elsewhere are not among them. */
  readonly tools: ReadonlyMap<string, GovernedTool>;
  readonly queue: CallQueue & { readonly verdicts: Verdicts };
  readonly inFlightCalls: InFlightCalls;
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
    const { queue, own, tools } = this.#parts;
    const { toolName, toolCallId, input } = question.toolCall;
    const governed = tools.get(toolName);
    if (governed === undefined)
      return own === undefined ? undefined : statusOf(await verdictOfOwn(own, question));
    const call = { toolName, toolCallId, input, messages: question.messages };
    // There is no verdict on what cannot be judged; it is turned away with the reason.
    if (!isPlainData(input)) return askForCall(call, queue);
    const verdict = await this.#asked(governed, question);
    return queue.verdicts.during(call, verdict, async () => {
      await queue.chat.use((session) => noteRejections(question.messages, session));
      return askForCall(call, queue);
    });
  }

  /** What `execute` of a wrapped tool does. */
  async run(toolName: string, input: unknown, { options, onPartial }: Going): Promise<ToolResult> {
    const { queue, inFlightCalls, tools } = this.#parts;
    const { toolCallId, messages } = options;
    const { tool, shape } = tools.get(toolName) as GovernedTool;
    const call = { toolName, toolCallId, input, messages };
    const going = { signal: options.abortSignal, place: queue.order.arrive() };
    if (!isPlainData(input)) return runCall(call, queue, going);
    const inFlightCall = { toolName, tool, options, ...(onPartial === undefined ? {} : { onPartial }) };
    try {
      const verdict =
        (await queue.verdicts.of(call)) ?? (await this.#unasked({ tool, shape }, call, options.context));
      return await queue.verdicts.during(call, verdict, () =>
        inFlightCalls.during(inFlightCall, () => runCall(call, queue, going)),
      );
    } finally {
      going.place.begun();
      queue.verdicts.forget(call);
    }
  }

  /** What the tool and the application say, asked with what the tool would be run with. */
  async #asked({ tool, shape }: GovernedTool, question: ApprovalQuestion): Promise<WatchdogVerdict> {
    const { toolCall, messages, toolsContext } = question;
    const shaped = await shape.shape(toolCall.input);
    if (shaped.error !== undefined) return { action: "deny", reason: shaped.error };
    const call = { ...toolCall, input: shaped.value };
    const ofTool = await verdictOfTool(tool, { ...call, messages }, ownField(toolsContext, call.toolName));
    const { own } = this.#parts;
    return own === undefined
      ? ofTool
      : stricterOf(ofTool, await verdictOfOwn(own, { ...question, toolCall: call }));
  }

  /** Nobody asked for approval before: the application did not give `toolApproval` to the SDK. */
  async #unasked({ tool, shape }: GovernedTool, call: SdkCall, context: unknown): Promise<WatchdogVerdict> {
    if (this.#parts.own !== undefined)
      return { action: "ask", reason: "The application's own approval function was not asked." };
    const shaped = await shape.shape(call.input);
    if (shaped.error !== undefined) return { action: "deny", reason: shaped.error };
    return verdictOfTool(tool, { ...call, input: shaped.value }, context);
  }
}

/** A call on its way, with what the SDK gave for it. */
export interface Going {
  readonly options: ToolExecutionOptions<unknown>;
  readonly onPartial: ((partial: unknown) => void) | undefined;
}

/** Shows partial results to whoever executes the call. */
export function partialsTo(inFlightCalls: InFlightCalls): Observer {
  return { name: "ai-sdk", afterUpdate: ({ callId, text }) => inFlightCalls.partial(callId, text) };
}

function statusOf(verdict: WatchdogVerdict): ToolApprovalStatus {
  if (verdict.action === "allow") return undefined;
  return { type: verdict.action === "ask" ? "user-approval" : "denied", reason: verdict.reason };
}
