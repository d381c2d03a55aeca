import { findPointer } from "./find-pointer.ts";
import { isObject, type JsonObject, ownText } from "./json-object.ts";
import { quoted, Unreadable } from "./unreadable.ts";

const LONGEST_CHAIN = 50;

/** The object, or what it refers to in the document. @throws Unreadable for other references, and circles. */
export function resolveReference(value: unknown, document: JsonObject): JsonObject {
  let here = value;
  for (let steps = 0; steps < LONGEST_CHAIN; steps += 1) {
    if (!isObject(here)) throw new Unreadable("a part of it is not an object");
    const reference = ownText(here, "$ref");
    if (reference === undefined) return here;
    here = findPointer(document, localReference(reference));
    if (here === undefined) throw new Unreadable(`it refers to ${quoted(reference)}, which does not exist`);
  }
  throw new Unreadable("its references are circular");
}

/** A reference within the document. @throws Unreadable for any other: a document causes no file or address to be read. */
export function localReference(reference: string): string {
  if (reference.startsWith("#/")) return reference;
  throw new Unreadable(
    `it refers to ${quoted(reference)}, which is not in this document; references to other files are not supported. Bundle the document into one file`,
  );
}
