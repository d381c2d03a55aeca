import { findPointer } from "./find-pointer.ts";
import { isObject, type JsonObject, ownText } from "./json-object.ts";

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
