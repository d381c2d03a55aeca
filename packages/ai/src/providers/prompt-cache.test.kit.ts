/** The body of a request in Anthropic's format, as far as a cache reads it. */
interface CachedBody {
  readonly tools?: readonly Block[];
  readonly system?: readonly Block[];
  readonly messages?: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

interface Block {
  readonly cache_control?: unknown;
}

/** Input tokens, as Anthropic counts them. */
interface CountedInput {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** How far before a mark Anthropic looks for what it kept. */
const LOOKED_BACK = 20;

/** Counts what Anthropic's prompt cache would read: a mark keeps what is before it, and finds what earlier marks kept. */
export class PromptCache {
  readonly #kept = new Set<string>();

  count(body: CachedBody): CountedInput {
    const blocks = blocksOf(body);
    const prefixes = blocks.map((_, index) =>
      blocks
        .slice(0, index + 1)
        .map(withoutMark)
        .join("\n"),
    );
    const marks = blocks.flatMap(({ cache_control }, index) => (cache_control === undefined ? [] : [index]));
    const isNear = (index: number) => marks.some((mark) => index <= mark && mark - index < LOOKED_BACK);
    const read = prefixes.findLastIndex((prefix, index) => isNear(index) && this.#kept.has(prefix));
    for (const mark of marks) this.#kept.add(prefixes[mark] ?? "");
    const tokens = (index: number) => Math.ceil((prefixes[index] ?? "").length / 4);
    const [all, cached, kept] = [tokens(blocks.length - 1), tokens(read), tokens(marks.at(-1) ?? -1)];
    return {
      input_tokens: all - Math.max(kept, cached),
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: Math.max(0, kept - cached),
    };
  }
}

/** A request without its marks, in the order in which a cache compares it. */
export function prefixOf(body: CachedBody): readonly string[] {
  return blocksOf(body).map(withoutMark);
}

/** Where the marks of a request are. */
export function marksOf(body: CachedBody): readonly number[] {
  return blocksOf(body).flatMap(({ cache_control }, index) => (cache_control === undefined ? [] : [index]));
}

function blocksOf({ tools = [], system = [], messages = [] }: CachedBody): readonly Block[] {
  return [
    ...tools,
    ...system,
    ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }))),
  ];
}

function withoutMark({ cache_control: _, ...block }: Block): string {
  return JSON.stringify(block);
}
