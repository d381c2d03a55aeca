import { validate } from "@readme/openapi-parser";
import { harmlessText } from "@toolkeep/core/internal";
import { findPointer } from "./find-pointer.ts";
import { isObject, type JsonObject, ownText } from "./json-object.ts";

const LONGEST_MS = 10_000;
const MOST_EXPANDED = 200_000;
const MOST_TOLD = 5;

/**
 * Deviations of a document from the specification, as messages. Real documents often contain errors, so this decides
 * nothing: each operation is read on its own. Reads no file and no address.
 */
export async function checkDocument(document: JsonObject): Promise<readonly string[]> {
  const checked = withoutSchemaReferences(document) as JsonObject;
  if (expandedSize(checked, MOST_EXPANDED) > MOST_EXPANDED)
    return ["The document is too large, or refers to itself too often, to be validated as a whole."];
  try {
    const outcome = await validate(checked as unknown as Parameters<typeof validate>[0], {
      resolve: { external: false, file: false },
      dereference: { circular: "ignore" },
      timeoutMs: LONGEST_MS,
    });
    return outcome.valid ? [] : outcome.errors.slice(0, MOST_TOLD).map(({ message }) => errorText(message));
  } catch {
    return ["The document could not be validated against the specification."];
  }
}

/** A copy without references between schemas: the parser checks one wherever it is used, which grows without bounds. */
function withoutSchemaReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSchemaReferences);
  if (!isObject(value)) return value;
  if (ownText(value, "$ref")?.startsWith("#/components/schemas/") === true) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutSchemaReferences(inner)]),
  );
}

/** The first line is the message; the rest shows the location. */
function errorText(message: string): string {
  const [what = "", ...location] = message.split("\n");
  const marked = location
    .find((line) => line.startsWith(">"))
    ?.replace(/^>\s*\d+\s*\|\s*/, "")
    .trim();
  const where = marked === undefined || marked === "{" ? "" : ` at \`${marked.slice(0, 100)}\``;
  return harmlessText(
    `The document does not follow the specification: ${what.trim().slice(0, 300)}${where}.`,
  );
}

/**
 * How many parts a document would have with every reference replaced by its target. A short document can make that
 * grow without bounds, and a reader that follows references would never finish.
 * Counting stops soon after the limit.
 */
export function expandedSize(document: JsonObject, limit: number): number {
  const known = new Map<object, number>();
  const stack: Frame[] = [frameOf(document, document)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.inner[top.at];
    top.at += 1;
    if (next === undefined || top.size > limit) {
      known.set(top.node, top.size);
      stack.pop();
      const parent = stack.at(-1);
      if (parent !== undefined) parent.size += top.size;
      continue;
    }
    const size = known.get(next);
    if (size !== undefined) top.size += size;
    else {
      // Readers that follow references leave a circular one as it is.
      known.set(next, 1);
      stack.push(frameOf(next, document));
    }
  }
  return known.get(document) ?? 0;
}

interface Frame {
  readonly node: object;
  readonly inner: readonly object[];
  at: number;
  size: number;
}

function frameOf(node: object, document: JsonObject): Frame {
  const inner = Object.values(node).filter((value) => typeof value === "object" && value !== null);
  const reference = ownText(node, "$ref");
  const target = reference?.startsWith("#/") ? findPointer(document, reference) : undefined;
  return { node, inner: isObject(target) ? [...inner, target] : inner, at: 0, size: 1 };
}
