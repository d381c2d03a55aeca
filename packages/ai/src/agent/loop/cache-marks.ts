import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";

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

const MARK: ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks what the next step repeats, for providers that cache only what is marked: the last definition, the system prompt,
 * the last message, and the one where the request before ended. Anthropic takes four marks and looks back twenty blocks
 * from each, so a step with many calls would miss the cache without the fourth. Other providers ignore the marks.
 */
export function withCacheMarks({ system, messages, tools }: Cacheable): Marked {
  const marked = new Set([messages.length - 1, endOfRequestBefore(messages)]);
  return {
    system: system === "" ? system : { role: "system", content: system, providerOptions: MARK },
    messages: messages.map((message, index) => (marked.has(index) ? withMark(message) : message)),
    tools: withLastMarked(tools),
  };
}

/** The message before the last reply of the model; -1 if the model was not asked yet. */
function endOfRequestBefore(messages: readonly ModelMessage[]): number {
  const reply = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(0, Math.max(reply, 0)).findLastIndex(({ role }) => role !== "assistant");
}

function withLastMarked(tools: ToolSet): ToolSet {
  const [name, tool] = Object.entries(tools).at(-1) ?? [];
  return name === undefined || tool === undefined ? tools : { ...tools, [name]: withMark(tool) };
}

function withMark<Carrier extends { readonly providerOptions?: ProviderOptions | undefined }>(
  carrier: Carrier,
): Carrier {
  const { providerOptions } = carrier;
  return {
    ...carrier,
    providerOptions: { ...providerOptions, anthropic: { ...providerOptions?.["anthropic"], ...MARK["anthropic"] } },
  };
}
