import type { JsonSchema } from "../contract/schema-type.ts";

/** Keywords whose schemas look at the same value again. */
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const SINGLES = ["not", "if", "then", "else"] as const;

/**
 * How many schemas one value is held against, at most. Two references to the same schema count twice,
 * as they cost twice: a short schema can make that grow without bounds.
 */
export function inPlaceCost(root: JsonSchema, limit: number): number {
  const known = new Map<unknown, number>();

  function costOf(schema: unknown): number {
    if (typeof schema !== "object" || schema === null) return 1;
    const seen = known.get(schema);
    if (seen !== undefined) return seen;
    // A schema that leads back to itself without going deeper into the value is refused by its compiler.
    known.set(schema, 1);
    let cost = 1;
    for (const inner of innerOf(schema as JsonSchema, root)) {
      cost += costOf(inner);
      if (cost > limit) break;
    }
    known.set(schema, cost);
    return cost;
  }

  let worst = 0;
  const queue: unknown[] = [root];
  for (let index = 0; index < queue.length && worst <= limit; index += 1) {
    const node = queue[index];
    if (typeof node !== "object" || node === null) continue;
    if (!Array.isArray(node)) worst = Math.max(worst, costOf(node));
    queue.push(...Object.values(node));
  }
  return worst;
}

function innerOf(schema: JsonSchema, root: JsonSchema): unknown[] {
  const lists = LISTS.flatMap((keyword) =>
    Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [],
  );
  const singles = SINGLES.map((keyword) => schema[keyword]).filter((inner) => inner !== undefined);
  const reference = schema["$ref"];
  return [...lists, ...singles, ...(typeof reference === "string" ? [pointed(reference, root)] : [])];
}

function pointed(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#/")) return reference === "#" ? root : undefined;
  let here: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    here = (here as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here;
}
