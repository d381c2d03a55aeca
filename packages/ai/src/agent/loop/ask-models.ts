import { ToolkeepError } from "@toolkeep/core";
import type { LanguageModel } from "ai";
import type { ModelReply } from "../options/model-reply.ts";
import type { AgentSpans } from "./agent-spans.ts";
import { askModel, type ModelRequest } from "./ask-model.ts";

/** A model that could not be asked, and the one that is asked instead. */
export interface Fallback {
  readonly model: string;
  readonly next: string;
  readonly error: unknown;
}

interface Asking extends Omit<ModelRequest, "model" | "hasNext" | "onOutput"> {
  /** In the order in which they are asked. */
  readonly models: readonly LanguageModel[];
  /** Where a question to a model is a span. */
  readonly spans: Pick<AgentSpans, "chat"> | undefined;
  onFallback(fallback: Fallback): void;
}

/**
 * Asks the first model, and the next one if that fails before it has written anything, for a reason that another provider
 * may not have. What was written is shown already.
 */
export async function askModels({ models, spans, onFallback, ...request }: Asking): Promise<ModelReply> {
  for (const [index, model] of models.entries()) {
    const next = models[index + 1];
    let hasOutput = false;
    const onOutput = () => {
      hasOutput = true;
    };
    const ask = () => askModel({ ...request, model, hasNext: next !== undefined, onOutput });
    try {
      const reply = await (spans?.chat(model, ask) ?? ask());
      return index === 0 ? reply : { ...reply, model: modelName(model) };
    } catch (error) {
      if (next === undefined || hasOutput || request.signal.aborted || !isOfProvider(error)) throw error;
      onFallback({ model: modelName(model), next: modelName(next), error });
    }
  }
  throw new TypeError("An agent has at least one model.");
}

/** What every model would refuse, because the request itself is wrong. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  ...["AbortError", "AI_InvalidPromptError", "AI_InvalidArgumentError", "AI_MessageConversionError"],
]);

/** Whether another provider may not fail: an address, a key, a limit, an outage, or what this model cannot do. */
function isOfProvider(error: unknown): boolean {
  if (ToolkeepError.isInstance(error)) return false;
  return !OF_REQUEST.has((error as { readonly name?: string } | undefined)?.name ?? "");
}

/** As an event names it: `anthropic/claude-sonnet-4-5`. */
function modelName(model: LanguageModel): string {
  if (typeof model === "string") return model;
  return `${model.provider.split(".")[0]}/${model.modelId}`;
}
