import type { Session, Tool } from "@toolkeep/core";
import { aiSdk } from "@toolkeep/core/formats";
import {
  assertKnownKeys,
  memoryPending,
  modelContent,
  type NamedTypes,
  type ToolNames,
} from "@toolkeep/core/internal";
import type { PendingArguments } from "@toolkeep/core/journal";
import type {
  Tool as AiSdkTool,
  FlexibleSchema,
  ToolApprovalStatus,
  ToolExecutionOptions,
  ToolSet,
} from "ai";
import { askForCall } from "../calls/ask-for-call.ts";
import { newCallQueue, type VerifyApproval } from "../calls/call-queue.ts";
import { OpenRequests } from "../calls/open-requests.ts";
import { type ApprovalQuestion, ownField } from "../calls/own-approval.ts";
import { runCall } from "../calls/run-call.ts";
import { isFromMessages } from "../chat/message-history.ts";
import { type SdkTool, watchedSchema } from "../foreign/input-shape.ts";
import type { ModelOutput } from "./model-output.ts";
import { outputOf } from "./wrap-tool.ts";

export interface ToAiSdkOptions {
  /** The `pending` port of the session. Approvals survive a restart only with it. */
  readonly pending?: PendingArguments;
  readonly approvals?: { readonly verify?: VerifyApproval };
}

export interface ToAiSdk<Tools extends readonly Tool[] = readonly Tool[]> {
  /** Their inputs and outputs have the types of the schemas, where the compiler knows the tools of the session. */
  readonly tools: SessionToolSet<Tools>;
  /** Pass it to the SDK together with `tools`, so that the SDK asks the user. */
  readonly toolApproval: (question: ApprovalQuestion) => Promise<ToolApprovalStatus>;
}

type SessionToolSet<Tools extends readonly Tool[]> =
  string extends ToolNames<Tools>
    ? ToolSet
    : {
        [Name in ToolNames<Tools>]: AiSdkTool<
          NamedTypes<Tools, Name>["input"],
          SessionOutput<NamedTypes<Tools, Name>["output"]>
        >;
      };

/**
 * Converts the tools of a session to AI SDK tools: the session governs every call. With `toolApproval` the SDK asks the
 * user, and the session needs `approver: sdkApprover`; without it the approver of the session is asked when a call runs.
 * Returns the current tools: call it again after a change.
 *
 * @example
 * const session = await createSession({ tools, policy, approver: sdkApprover });
 * const result = await generateText({ model, prompt, ...toAiSdk(session) });
 */
export function toAiSdk<const Tools extends readonly Tool[] = readonly Tool[]>(
  session: Session<Tools>,
  options: ToAiSdkOptions = {},
): ToAiSdk<Tools> {
  assertKnownKeys(options, ["pending", "approvals"] satisfies (keyof ToAiSdkOptions)[], "option of toAiSdk");
  assertKnownKeys(options.approvals ?? {}, ["verify"], "option of `approvals`");
  const queue = newCallQueue({
    chat: { use: <T>(work: (session: Session) => Promise<T>) => work(session) },
    pending: options.pending ?? memoryPending(),
    verdicts: undefined,
    verify: options.approvals?.verify,
  });
  const openRequests = new OpenRequests(queue, async () => (await session.waiting()).length > 0);
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
      const schema = watchedSchema(sdkSchema(inputSchema), () => openRequests.offer(name));
      return [name, { description, inputSchema: schema, execute, toModelOutput } as SdkTool];
    }),
  );
  return {
    tools: tools as SessionToolSet<Tools>,
    toolApproval: async ({ toolCall, messages }) => {
      if (ownField(tools, toolCall.toolName) === undefined) return undefined;
      const { toolName, toolCallId, input } = toolCall;
      await openRequests.read(messages, session, { isNew: !isFromMessages(messages, toolCallId) });
      return askForCall({ toolName, toolCallId, input, messages }, queue);
    },
  };
}

/** What `execute` returns: the data for programs, and what the model is shown. */
interface SessionOutput<Data = unknown> {
  readonly data: Data;
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

/** A schema in the form of the SDK's `jsonSchema()`, without validation: the session validates. */
export function sdkSchema(json: object): FlexibleSchema {
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    _type: undefined,
    jsonSchema: json,
    validate: undefined,
  } as unknown as FlexibleSchema;
}
