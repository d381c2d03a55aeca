import type { Session } from "@toolkeep/core";
import { findTelemetry, type OpenSpan, type SpanAttributes, type Telemetry } from "@toolkeep/core/internal";
import type { LanguageModel } from "ai";
import type { ModelReply, StepUsage } from "../options/model-reply.ts";
import type { LoopEnd } from "./loop-host.ts";

/** The spans of an agent's runs: each run in this process, and each question to the model. */
export class AgentSpans {
  readonly #telemetry: Telemetry;
  readonly #common: SpanAttributes;

  constructor(telemetry: Telemetry, session: Session, model: LanguageModel) {
    this.#telemetry = telemetry;
    const { agent } = session.principal;
    this.#common = {
      "gen_ai.conversation.id": session.id,
      ...attributesOf(model),
      ...(agent === undefined ? {} : { "gen_ai.agent.name": agent }),
    };
  }

  /** A run, or what this process does of one. What it asks and calls is below it. */
  async run(isResumed: boolean, action: () => Promise<LoopEnd>): Promise<LoopEnd> {
    const name = this.#common["gen_ai.agent.name"];
    const span = this.#telemetry.start({
      name: name === undefined ? "invoke_agent" : `invoke_agent ${name}`,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...this.#common,
        ...(isResumed ? { "toolkeep.is_resumed": true } : {}),
      },
    });
    return ending(span, action, (end) => {
      span.set({ "toolkeep.run.end": end.reason, ...usageIn(end.usage) });
      span.end(end.reason === "failed" ? errorType(end.error) : undefined);
    });
  }

  /** One question to the model. A reply that is read back from the store has none. */
  async chat(model: LanguageModel, action: () => Promise<ModelReply>): Promise<ModelReply> {
    const attributes = { ...this.#common, ...attributesOf(model) };
    const span = this.#telemetry.start({
      name: `chat ${attributes["gen_ai.request.model"]}`,
      kind: "client",
      attributes: { "gen_ai.operation.name": "chat", ...attributes },
    });
    return ending(span, action, ({ finishReason, usage }) => {
      span.set({ "gen_ai.response.finish_reasons": [finishReason], ...usageIn(usage) });
      span.end();
    });
  }
}

function attributesOf(model: LanguageModel) {
  const { provider, modelId } = typeof model === "string" ? { provider: "", modelId: model } : model;
  return { "gen_ai.provider.name": providerName(provider), "gen_ai.request.model": modelId };
}

/** The spans of an agent; `undefined` unless the application has registered a tracer provider. */
export async function agentSpans(
  session: Session,
  [model]: readonly LanguageModel[],
): Promise<AgentSpans | undefined> {
  const telemetry = findTelemetry();
  return telemetry === undefined || model === undefined
    ? undefined
    : new AgentSpans(telemetry, session, model);
}

async function ending<T>(span: OpenSpan, action: () => Promise<T>, ended: (value: T) => void): Promise<T> {
  try {
    const value = await span.within(action);
    ended(value);
    return value;
  } catch (error) {
    span.end(errorType(error));
    throw error;
  }
}

function usageIn({ inputTokens, outputTokens }: StepUsage): SpanAttributes {
  return { "gen_ai.usage.input_tokens": inputTokens, "gen_ai.usage.output_tokens": outputTokens };
}

/** The class of an error: its message may say more than a trace should. */
function errorType(error: unknown): string {
  return error instanceof Error ? error.name : "_OTHER";
}

/** `openai.chat` of the AI SDK is `openai` in the conventions. */
function providerName(provider: string): string {
  const [name = ""] = provider.split(".");
  return KNOWN_PROVIDERS[name] ?? name;
}

const KNOWN_PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};
