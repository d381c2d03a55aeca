import type { ToolCall } from "@toolkeep/core";
import type {
  AssistantModelMessage,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  SystemModelMessage,
  ToolSet,
} from "ai";
import type { ModelReply, StepUsage } from "../options/model-reply.ts";
import type { ModelSettings } from "../options/model-settings.ts";

/** What one step asks of a model. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly system: string | SystemModelMessage;
  readonly messages: readonly ModelMessage[];
  /** Tools without `execute`: the session runs the calls. */
  readonly tools: ToolSet;
  readonly settings?: ModelSettings;
  readonly signal: AbortSignal;
  /** Whether another model is asked if this one fails: then it is not tried again. */
  readonly hasNext?: boolean;
  /** Called with the first thing that the model writes, and later ones. */
  onOutput?(): void;
  onText?(text: string): void;
  onReasoning?(text: string): void;
}

/** Asks a model once. A call that the SDK could not read is kept as the model wrote it: the session says what is wrong. */
export async function askModel(request: ModelRequest): Promise<ModelReply> {
  const { model, system, messages, tools, settings, signal, onText, onReasoning } = request;
  sdk ??= await import("ai");
  // Earlier versions have only the one that copies the stream for other readers, which takes longer.
  const { experimental_streamTextLowMemory: streamOnce = sdk.streamText } = sdk;
  let response: readonly { readonly role: string }[] | undefined;
  const result = streamOnce({
    ...(settings as SdkSettings),
    ...{ model, tools, abortSignal: signal, messages: [...messages] },
    ...(request.hasNext === true ? { maxRetries: 0 } : {}),
    ...(system === "" ? {} : { instructions: system }),
    // Reported as a part of the stream.
    onError: () => {},
    onStepEnd: (step) => {
      response = step.response.messages;
    },
  });
  const calls: ToolCall[] = [];
  let text = "";
  let usage = NO_USAGE;
  let finishReason = "other";
  for await (const part of result.stream) {
    if (OUTPUT.has(part.type)) request.onOutput?.();
    if (part.type === "text-delta") {
      text += part.text;
      onText?.(part.text);
    } else if (part.type === "reasoning-delta") onReasoning?.(part.text);
    else if (part.type === "tool-call" && part.providerExecuted !== true) calls.push(callOf(part));
    else if (part.type === "finish-step") {
      usage = usageOf(part.usage);
      finishReason = part.finishReason;
    } else if (part.type === "error") throw part.error;
    else if (part.type === "abort") throw signal.reason ?? new DOMException("Aborted", "AbortError");
  }
  signal.throwIfAborted();
  // Rejects with what is wrong if there was no step.
  if (response === undefined) await result.finishReason;
  const said = (response ?? []).filter(isOfAssistant);
  return { text, calls, messages: plainJson(said), finishReason, usage };
}

/** Loaded with the first step: to import it again takes as long as a call. */
let sdk: typeof import("ai") | undefined;

/** The settings as the SDK declares them: it writes JSON and changes nothing. */
type SdkSettings = Pick<Parameters<typeof import("ai").streamText>[0], keyof ModelSettings>;

/** The parts of a stream that say something. */
const OUTPUT: ReadonlySet<string> = new Set([
  ...["text-delta", "reasoning-delta", "tool-input-start", "tool-call"],
  ...["tool-result", "source", "file", "reasoning-file"],
]);

function isOfAssistant(message: { readonly role: string }): message is AssistantModelMessage {
  return message.role === "assistant";
}

interface WrittenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Input that is not an object is given as text, so that the validation of the session sees what the model wrote. */
function callOf({ toolCallId: id, toolName: name, input }: WrittenCall): ToolCall {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (isObject) return { id, name, arguments: input as Readonly<Record<string, unknown>> };
  return { id, name, arguments: typeof input === "string" ? input : (JSON.stringify(input) ?? "") };
}

export const NO_USAGE: StepUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });

function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage): StepUsage {
  return { inputTokens, outputTokens, cachedTokens: inputTokenDetails?.cacheReadTokens ?? 0 };
}

/** The same in every life: what is kept is JSON. Bytes become base64, which the SDK takes as well. */
function plainJson(messages: readonly AssistantModelMessage[]): readonly AssistantModelMessage[] {
  const text = JSON.stringify(messages, (_key, value: unknown) =>
    value instanceof Uint8Array ? toBase64(value) : value,
  );
  return JSON.parse(text) as AssistantModelMessage[];
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
