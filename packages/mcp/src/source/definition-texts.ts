import { createHash } from "node:crypto";
import type { ToolInReview } from "./mcp-source.ts";

/** One text of a tool's definition, for review. Show it through `terminalText`. */
export interface DefinitionText {
  /** Its path, e.g. `inputSchema.properties.path.description`. */
  readonly path: string;
  /** The text now; missing if it was removed. */
  readonly text?: string;
  /** The text when the tool was accepted, if it is known and different. */
  readonly before?: string;
}

export interface DefinitionTexts {
  /** Changed texts come first. */
  readonly texts: readonly DefinitionText[];
  /** How many further texts were omitted. */
  readonly more: number;
}

const MOST_TEXTS = 500;
const MOST_CHARACTERS = 100_000;
const MOST_LEAVES = 50_000;
const LONGEST_KEY = 100;
const DEEPEST = 100;
const FIELDS = ["description", "title", "annotations", "inputSchema", "outputSchema"] as const;

/** All texts in the definition of a tool in review, with their earlier version where they changed. Bounded. */
export function definitionTexts({
  definition,
  before,
}: Pick<ToolInReview, "definition" | "before">): DefinitionTexts {
  const now = valuesOf(definition);
  const then = before === undefined ? now : valuesOf(before);
  const gone = [...then].filter(([path]) => !now.has(path));
  const all: readonly DefinitionText[] = [
    ...[...now].map(([path, text]) => ({ path, text, ...changeOf(text, before && then.get(path)) })),
    ...gone.map(([path, text]) => ({ path, before: text })),
  ];
  const isNew = ({ path, before: old }: DefinitionText) => old !== undefined || !then.has(path);
  return bounded([...all.filter(isNew), ...all.filter((one) => !isNew(one))]);
}

function changeOf(text: string, before: string | undefined): Pick<DefinitionText, "before"> {
  return before === undefined || before === text ? {} : { before };
}

/** Every leaf value by its path; paths are unique. */
function valuesOf(definition: ToolInReview["definition"]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const open: Node[] = FIELDS.map((path) => ({ path, value: definition[path], depth: 0 }));
  open.reverse();
  for (let one = open.pop(); one !== undefined && values.size < MOST_LEAVES; one = open.pop()) {
    const { path, value, depth } = one;
    const inner = depth < DEEPEST && typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (inner.length === 0 && value !== undefined) values.set(path, textOf(value));
    for (const [key, entry] of inner.toReversed())
      open.push({ path: `${path}${stepTo(key)}`, value: entry, depth: depth + 1 });
  }
  return values;
}

interface Node {
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
}

/** Values other than strings are shown as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deeply to show)";
  }
}

/** Keys may contain anything, including separators; a long key is identified by its hash. */
function stepTo(key: string): string {
  if (/^[\w$-]{1,64}$/.test(key)) return `.${key}`;
  if (key.length <= LONGEST_KEY) return `[${JSON.stringify(key)}]`;
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return `[${JSON.stringify(key.slice(0, LONGEST_KEY))}… ${hash}]`;
}

function bounded(all: readonly DefinitionText[]): DefinitionTexts {
  const texts: DefinitionText[] = [];
  let left = MOST_CHARACTERS;
  for (const { path, text, before } of all) {
    const size = (text?.length ?? 0) + (before?.length ?? 0);
    if (texts.length >= MOST_TEXTS || left <= 0) break;
    const cut = (nameLikeWords: string) =>
      size <= left ? nameLikeWords : `${nameLikeWords.slice(0, left / 2)} …`;
    texts.push({
      path,
      ...(text === undefined ? {} : { text: cut(text) }),
      ...(before === undefined ? {} : { before: cut(before) }),
    });
    left -= size;
  }
  // The text that was cut is not shown in full either.
  return { texts, more: all.length - texts.length + (left < 0 ? 1 : 0) };
}
