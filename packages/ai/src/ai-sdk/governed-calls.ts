import type { Observer, Session, ToolResult } from "@toolkeep/core";
import type { WatchdogVerdict } from "@toolkeep/core/policy";
import type { ToolApprovalStatus, ToolExecutionOptions } from "ai";
import { askForCall } from "../calls/ask-for-call.ts";
import type { CallQueue } from "../calls/call-queue.ts";
import type { OpenRequests } from "../calls/open-requests.ts";
import {
  type ApprovalQuestion,
  type OwnApproval,
  ownField,
  stricterOf,
  verdictOfOwn,
  verdictOfTool,
} from "../calls/own-approval.ts";
import { runCall } from "../calls/run-call.ts";
import type { SdkCall } from "../calls/sdk-call.ts";
import type { Verdicts } from "../calls/verdicts.ts";
import { isFromMessages } from "../chat/message-history.ts";
import type { InputShape, SdkTool } from "../foreign/input-shape.ts";
import { isPlainData } from "../foreign/plain-data.ts";
import type { InFlightCalls } from "./in-flight-calls.ts";

/** A tool that is executed here, and its input schema. */
export interface GovernedTool {
  readonly tool: SdkTool;
  readonly shape: InputShape;
  /** The largest output of the tool. */
  readonly maxOutputBytes: number;
}

export interface GovernedCallsParts {
  /** By name, without the tools that run elsewhere. */
  readonly tools: ReadonlyMap<string, GovernedTool>;
  readonly queue: CallQueue & { readonly verdicts: Verdicts };
  readonly inFlightCalls: InFlightCalls;
  readonly openRequests: OpenRequests;
  /** The existing approval configuration of the application. */
  readonly own: OwnApproval | undefined;
}

/** The SDK executes an allowed call as soon as it has asked about all calls of its step. */
const UNTIL_EXECUTED_MS = 50;

/** Calls from the SDK: first `toolApproval`, then `execute`. */
export class GovernedCalls {
  readonly #parts: GovernedCallsParts;

  constructor(parts: GovernedCallsParts) {
    this.#parts = parts;
  }

  /** Implements `toolApproval`. Tools that run elsewhere are left to the application. */
  async ask(question: ApprovalQuestion): Promise<ToolApprovalStatus> {
    const { queue, own, tools, openRequests } = this.#parts;
    const { toolName, toolCallId, input } = question.toolCall;
    const governed = tools.get(toolName);
    if (governed === undefined)
      return own === undefined ? undefined : statusOf(await verdictOfOwn(own, question));
    const call = { toolName, toolCallId, input, messages: question.messages };
    // Arguments that are not plain data cannot be evaluated and are refused with the reason.
    if (!isPlainData(input)) return askForCall(call, queue);
    const verdict = await this.#asked(governed, question);
    return queue.verdicts.during(call, verdict, async () => {
      const isNew = !isFromMessages(question.messages, toolCallId);
      const ask = async (session: Session) => {
        await openRequests.read(question.messages, session, { isNew });
        return askForCall(call, queue);
      };
      return queue.chat.use(ask, (status) => (status === "not-applicable" ? UNTIL_EXECUTED_MS : undefined));
    });
  }

  /** Implements `execute` of a wrapped tool. */
  async run(toolName: string, input: unknown, { options, onPartial }: Going): Promise<ToolResult> {
    const { queue, inFlightCalls, tools } = this.#parts;
    const { toolCallId, messages } = options;
    const { tool, shape } = tools.get(toolName) as GovernedTool;
    const call = { toolName, toolCallId, input, messages };
    const going = { signal: options.abortSignal, arrival: queue.order.arrive() };
    if (!isPlainData(input)) return runCall(call, queue, going);
    const inFlightCall = { toolName, tool, options, ...(onPartial === undefined ? {} : { onPartial }) };
    try {
      const verdict =
        (await queue.verdicts.of(call)) ?? (await this.#unasked({ tool, shape }, call, options.context));
      return await queue.verdicts.during(call, verdict, () =>
        inFlightCalls.during(inFlightCall, () => runCall(call, queue, going)),
      );
    } finally {
      going.arrival.begun();
      queue.verdicts.forget(call);
    }
  }

  /** The verdict of the tool and the application, on the value that the tool would be run with. */
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

  /** `toolApproval` was not called before: the application did not pass it to the SDK. */
  async #unasked(
    { tool, shape }: Pick<GovernedTool, "tool" | "shape">,
    call: SdkCall,
    context: unknown,
  ): Promise<WatchdogVerdict> {
    if (this.#parts.own !== undefined)
      return { action: "ask", reason: "The application's approval function was not called." };
    const shaped = await shape.shape(call.input);
    if (shaped.error !== undefined) return { action: "deny", reason: shaped.error };
    return verdictOfTool(tool, { ...call, input: shaped.value }, context);
  }
}

/** The options of the SDK for a running call. */
export interface Going {
  readonly options: ToolExecutionOptions<unknown>;
  readonly onPartial: ((partial: unknown) => void) | undefined;
}

/** Passes partial results to the running call. */
export function partialsTo(inFlightCalls: InFlightCalls): Observer {
  return { name: "ai-sdk", afterUpdate: ({ callId, text }) => inFlightCalls.partial(callId, text) };
}

function statusOf(verdict: WatchdogVerdict): ToolApprovalStatus {
  if (verdict.action === "allow") return undefined;
  return { type: verdict.action === "ask" ? "user-approval" : "denied", reason: verdict.reason };
}
