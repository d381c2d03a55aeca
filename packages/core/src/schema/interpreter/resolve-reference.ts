import type { JsonSchema } from "../../contract/call/schema-type.ts";
import { isRecord } from "../../contract/values/is-record.ts";

/** The schema that a reference leads to, and what references in it are relative to. */
export interface Resolved {
  readonly schema: unknown;
  readonly base: JsonSchema;
}

/** Follows `#`, `#/a/pointer` and `#anchor` within a schema. @throws when it leads nowhere. */
export function resolveReference(reference: string, base: JsonSchema): Resolved {
  const found = reference.startsWith("#/") ? pointed(reference, base) : anchored(reference.slice(1), base);
  if (found === undefined) throw new Error(`The reference ${reference} leads nowhere.`);
  return { schema: found, base };
}

function pointed(pointer: string, root: JsonSchema): unknown {
  let here: unknown = root;
  for (const part of pointer.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

function anchored(name: string, root: JsonSchema): unknown {
  if (name === "") return root;
  const waiting: unknown[] = [root];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    if (Array.isArray(here)) waiting.push(...(here as unknown[]));
    if (!isRecord(here)) continue;
    if (here["$anchor"] === name || here["$dynamicAnchor"] === name || here["$id"] === `#${name}`)
      return here;
    waiting.push(...Object.values(here));
  }
  return undefined;
}
