import { unlessThrown } from "@toolkeep/core/internal";
import type { JsonObject } from "./json-object.ts";

/** The target of a reference within the document (`#/components/…`); `undefined` if there is none. */
export function findPointer(document: JsonObject, reference: string): unknown {
  let here: unknown = document;
  for (const part of pointerParts(reference)) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string, unknown>)[part];
  }
  return here;
}

/** The keys of a pointer, in order. */
export function pointerParts(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split("/")
    .map((part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(part: string): string {
  return unlessThrown(() => decodeURIComponent(part)) ?? part;
}
