import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";
import type { ModelSettings } from "../options/model-settings.ts";

/** What the provider keeps in its cache: everything up to a mark. */
interface Cacheable {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

interface Marked {
  readonly system: string | SystemModelMessage;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

type ProviderOptions = NonNullable<ModelMessage["providerOptions"]>;

const MARK = { type: "ephemeral" } as const;

/**
 * Marks what the next step repeats, for providers that cache only what is marked: the last definition, the system prompt,
 * the last message, and the one where the request before ended. Anthropic takes four marks and looks back twenty blocks
 * from each, so a step with many calls would miss the cache without the fourth. Other providers ignore the marks.
 *
 * A `cacheControl` for the whole request is the host application's own: Anthropic marks the last message for it, which
 * is one of the four, and all marks keep as long.
 */
export function withCacheMarks(
  { system, messages, tools }: Cacheable,
  { providerOptions }: ModelSettings,
): Marked {
  const own = providerOptions?.["anthropic"]?.["cacheControl"] as typeof MARK | undefined;
  const mark: ProviderOptions = { anthropic: { cacheControl: own ?? MARK } };
  const marked = new Set(own === undefined ? [messages.length - 1, endOfRequestBefore(messages)] : []);
  return {
    system: system === "" ? system : { role: "system", content: system, providerOptions: mark },
    messages: messages.map((message, index) => (marked.has(index) ? withMark(message, mark) : message)),
    tools: withLastMarked(tools, mark),
  };
}

/** The message before the last reply of the model; -1 if the model was not asked yet. */
function endOfRequestBefore(messages: readonly ModelMessage[]): number {
  const reply = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(0, Math.max(reply, 0)).findLastIndex(({ role }) => role !== "assistant");
}

function withLastMarked(tools: ToolSet, mark: ProviderOptions): ToolSet {
  const [name, tool] = Object.entries(tools).at(-1) ?? [];
  return name === undefined || tool === undefined ? tools : { ...tools, [name]: withMark(tool, mark) };
}

function withMark<Carrier extends { readonly providerOptions?: ProviderOptions | undefined }>(
  carrier: Carrier,
  mark: ProviderOptions,
): Carrier {
  const { providerOptions } = carrier;
  return {
    ...carrier,
    providerOptions: {
      ...providerOptions,
      anthropic: { ...providerOptions?.["anthropic"], ...mark["anthropic"] },
    },
  };
}
