import type { Session } from "@toolkeep/core";
import { aiSdk, modelContent } from "@toolkeep/core/formats";
import { memoryPending, type PendingArguments } from "@toolkeep/core/journal";
import type { FlexibleSchema, ToolApprovalStatus, ToolExecutionOptions, ToolSet } from "ai";
import { askForCall } from "./ask-for-call.ts";
import { newCallQueue, type VerifyApproval } from "./call-queue.ts";
import type { ModelOutput } from "./model-output.ts";
import { type ApprovalQuestion, ownField } from "./own-approval.ts";
import { runCall } from "./run-call.ts";
import type { SdkTool } from "./sdk-tool.ts";
import { outputOf } from "./wrap-tool.ts";

export interface ToAiSdkOptions {
  /** The port that the session was given: approvals are found again after a restart only through it. */
  readonly pending?: PendingArguments;
  readonly approvals?: { readonly verify?: VerifyApproval };
}

export interface ToAiSdk {
  readonly tools: ToolSet;
  /** Must be given to the SDK together with the tools. */
  readonly toolApproval: (question: ApprovalQuestion) => Promise<ToolApprovalStatus>;
}

/**
 * The tools of a session for the AI SDK: every call goes through the session. Give the session `sdkApprover`, so
 * that what asks is put to the person through the SDK; an approver of its own answers there and then. The tools
 * are those of this moment: ask again after a change.
 */
export function toAiSdk(session: Session, options: ToAiSdkOptions = {}): ToAiSdk {
  const queue = newCallQueue({
    chat: { use: <T>(work: (session: Session) => Promise<T>) => work(session) },
    pending: options.pending ?? memoryPending(),
    verdicts: undefined,
    verify: options.approvals?.verify,
  });
  const tools = Object.fromEntries(
    session.tools().map((registered) => {
      const { name, description, inputSchema } = aiSdk.definition(registered);
      const execute = async (
        input: unknown,
        { toolCallId, messages, abortSignal }: ToolExecutionOptions<unknown>,
      ) => {
        const result = await runCall({ toolName: name, toolCallId, input, messages }, queue, {
          signal: abortSignal,
        });
        return {
          data: outputOf(result) ?? null,
          shown: shownOf(modelContent(result)),
        } satisfies SessionOutput;
      };
      const toModelOutput = ({ output }: { output: SessionOutput }) => output.shown;
      return [name, { description, inputSchema: sdkSchema(inputSchema), execute, toModelOutput } as SdkTool];
    }),
  );
  return {
    tools,
    toolApproval: async ({ toolCall, messages }) => {
      if (ownField(tools, toolCall.toolName) === undefined) return undefined;
      const { toolName, toolCallId, input } = toolCall;
      return askForCall({ toolName, toolCallId, input, messages }, queue);
    },
  };
}

/** What `execute` gives: the data for programs, and what the model is shown. */
export interface SessionOutput {
  readonly data: unknown;
  readonly shown: ModelOutput;
}

function shownOf(content: ReturnType<typeof modelContent>): ModelOutput {
  return {
    type: "content",
    value: content.map((block) =>
      block.type === "text"
        ? { type: "text", text: block.text }
        : { type: "file", mediaType: block.mimeType, data: { type: "data", data: block.data } },
    ),
  };
}

/** A schema in the shape of the SDK's own `jsonSchema()`. The session checks; the SDK need not. */
function sdkSchema(json: object): FlexibleSchema {
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    _type: undefined,
    jsonSchema: json,
    validate: undefined,
  } as unknown as FlexibleSchema;
}
