import type { JsonSchema } from "../contract/schema-type.ts";

/**
 * Strict definitions make every property required, so a model says `null` where it means "left
 * out". Gives the arguments without such nulls; `undefined` when there are none.
 */
export function dropOptionalNulls(value: unknown, schema: unknown): Record<string, unknown> | undefined {
  const kept = drop(value, schema);
  return kept === value ? undefined : (kept as Record<string, unknown>);
}

function drop(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) return dropInList(value, schema["items"]);
  if (!isRecord(value) || !isRecord(schema["properties"])) return value;
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  const kept: [string, unknown][] = [];
  let hasChanged = false;
  for (const [key, inner] of Object.entries(value)) {
    const isLeftOut = inner === null && !required.has(key) && key in schema["properties"];
    const next = isLeftOut ? undefined : drop(inner, schema["properties"][key]);
    hasChanged ||= isLeftOut || next !== inner;
    if (!isLeftOut) kept.push([key, next]);
  }
  return hasChanged ? Object.fromEntries(kept) : value;
}

function dropInList(list: readonly unknown[], items: unknown): readonly unknown[] {
  const kept = list.map((inner) => drop(inner, items));
  return kept.some((inner, index) => inner !== list[index]) ? kept : list;
}

function isRecord(value: unknown): value is Record<string, unknown> & JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
