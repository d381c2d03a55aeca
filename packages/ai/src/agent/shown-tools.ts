import type { Session, ToolResult } from "@toolkeep/core";
import { aiSdk } from "@toolkeep/core/formats";
import { foundTools, isRecord, TOOL_SEARCH } from "@toolkeep/core/internal";
import type { DeferTools } from "./options/defer-tools.ts";
import { type Definition, shortDefinition } from "./short-definition.ts";

type Registered = ReturnType<Session["tools"]>[number];

/** A definition, and how many bytes of a request it takes. */
interface Sized {
  readonly definition: Definition;
  readonly bytes: number;
}

/** What a provider adds to a definition, about. */
const ENVELOPE_BYTES = 60;
/** What was found is shown as it is up to this size, and otherwise in a short form. */
const MOST_FOUND_BYTES = 1_000;

/**
 * Which tools a model gets definitions of: all of them, or, where that would be more bytes than it may be, those that are
 * always shown and those that `tool_search` found. What was found is added at the end, so that prompt caches keep the
 * beginning. When it no longer fits, what was found first is left out: it can still be called by its name.
 */
export class ShownTools {
  readonly #options: Required<DeferTools>;
  readonly #whole = new WeakMap<Registered, Sized>();
  readonly #short = new WeakMap<Registered, Sized>();
  /** What each search found, in the order in which it is shown. */
  #found: (readonly string[])[] = [];

  constructor(options: Required<DeferTools>) {
    this.#options = options;
  }

  /** Takes over what earlier runs and processes found. */
  async restore(session: Pick<Session, "journal" | "tools">): Promise<void> {
    if (this.#found.length === 0 && this.#isDeferring(session.tools()))
      this.#found = (await foundTools(session)).map((name) => [name]);
  }

  /** Shows what searches found from the next step on. */
  learn(results: readonly (ToolResult | undefined)[], tools: readonly Registered[]): void {
    for (const result of results) {
      const shown = new Set(this.of(tools).map(({ name }) => name));
      const names = namesIn(result).filter((name) => !shown.has(name));
      // What was left out and is found again is added at the end.
      const before = this.#found.map((found) => found.filter((name) => !names.includes(name)));
      this.#found = [...before, names].filter((found) => found.length > 0);
    }
  }

  of(tools: readonly Registered[]): readonly Definition[] {
    const always = this.always(tools);
    const definitions = always.map((tool) => this.#wholeOf(tool).definition);
    if (always.length === tools.length) return definitions;
    const others = new Map(tools.map((tool) => [tool.name, tool]));
    for (const { name } of always) others.delete(name);
    const found = this.#found.map((names) => names.flatMap((name) => others.get(name) ?? []));
    const fitting = this.#fitting(found, this.#options.above - this.#bytesOf(always));
    const shown = found.flat().filter((tool) => fitting.has(tool));
    return [...definitions, ...shown.map((tool) => this.#foundAs(tool).definition)];
  }

  /**
   * The tools that are shown whatever was found: the built-in ones, those that the host application names, and its other
   * tools if they fit. Tools of MCP servers and OpenAPI documents wait.
   */
  always(tools: readonly Registered[]): readonly Registered[] {
    if (!this.#isDeferring(tools)) return tools;
    const { above, always } = this.#options;
    const isNamed = ({ name, origin }: Registered) =>
      origin.source === "bundled" || name === TOOL_SEARCH || always.includes(name);
    const own = tools.filter((tool) => isNamed(tool) || !comesFromOutside(tool));
    return this.#bytesOf(own) <= above ? own : tools.filter(isNamed);
  }

  #isDeferring(tools: readonly Registered[]): boolean {
    return tools.some(({ name }) => name === TOOL_SEARCH) && this.#bytesOf(tools) > this.#options.above;
  }

  /** The best ones of the last searches. The best one of the last search is shown in any case: it is needed now. */
  #fitting(searches: readonly (readonly Registered[])[], bytes: number): ReadonlySet<Registered> {
    const fitting = new Set<Registered>();
    let left = bytes;
    for (const tool of searches.toReversed().flat()) {
      left -= this.#foundAs(tool).bytes;
      if (left < 0 && fitting.size > 0) break;
      fitting.add(tool);
    }
    return fitting;
  }

  #bytesOf(tools: readonly Registered[]): number {
    return tools.reduce((sum, tool) => sum + this.#wholeOf(tool).bytes, 0);
  }

  #wholeOf(tool: Registered): Sized {
    return kept(this.#whole, tool, () => sized(aiSdk.definition(tool)));
  }

  #foundAs(tool: Registered): Sized {
    const whole = this.#wholeOf(tool);
    if (whole.bytes <= MOST_FOUND_BYTES) return whole;
    return kept(this.#short, tool, () => sized(shortDefinition(whole.definition)));
  }
}

function kept(cache: WeakMap<Registered, Sized>, tool: Registered, make: () => Sized): Sized {
  const known = cache.get(tool);
  if (known !== undefined) return known;
  const made = make();
  cache.set(tool, made);
  return made;
}

function sized(definition: Definition): Sized {
  return { definition, bytes: new TextEncoder().encode(JSON.stringify(definition)).length + ENVELOPE_BYTES };
}

/** The part of the prompt that says what is not shown. */
export function hiddenTools(tools: readonly Registered[], shown: readonly Registered[]): string {
  const hidden = tools.filter((tool) => !shown.includes(tool));
  if (hidden.length === 0) return "";
  const sources = [...Map.groupBy(hidden, sourceOf)].map(([source, { length }]) => `${source} (${length})`);
  const named = sources.slice(0, MOST_SOURCES);
  const more = sources.length > named.length ? ", and others" : "";
  return `# Tools that are not shown\nThere are ${hidden.length} more tools than you have definitions of: ${named.join(", ")}${more}. Find them with \`${TOOL_SEARCH}\`.`;
}

const MOST_SOURCES = 20;

function sourceOf({ tool, origin }: Registered): string {
  return tool.remote?.serverId ?? origin.id ?? "this application";
}

function comesFromOutside({ origin }: Registered): boolean {
  return origin.source === "mcp" || origin.source === "openapi";
}

function namesIn(result: ToolResult | undefined): readonly string[] {
  const { toolName, ok = false, data } = result ?? {};
  if (toolName !== TOOL_SEARCH || !ok || !isRecord(data) || !Array.isArray(data["tools"])) return [];
  return data["tools"].flatMap((one: unknown) =>
    isRecord(one) && typeof one["name"] === "string" ? [one["name"]] : [],
  );
}
