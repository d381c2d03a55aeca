import type { JsonSchema } from "@toolkeep/core";
import { isUsablePattern, patternSize } from "@toolkeep/core/internal";
import { findPointer, pointerParts } from "../document/find-pointer.ts";
import type { JsonObject } from "../document/json-object.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import { type ConvertedSchema, convertSchema, type Direction } from "./convert-schema.ts";
import { DistinctNames } from "./distinct-names.ts";

/** The limits for the definitions that one operation reaches, and that all of them reach together. */
const MOST_OF_ONE = 5_000;
const MOST_OF_ALL = 200_000;

type Definition = ConvertedSchema | { readonly error: string };

/** A document's schemas in one direction, converted once and shared: thousands of tools cost little more than it. */
export class SchemaBook {
  readonly #document: JsonObject;
  readonly #direction: Direction;
  readonly #names = new Map<string, string>();
  readonly #taken = new DistinctNames();
  readonly #definitions = new Map<string, Definition>();
  readonly #patterns = new PatternBudget();
  #left = MOST_OF_ALL;

  constructor(document: JsonObject, direction: Direction) {
    this.#document = document;
    this.#direction = direction;
  }

  /** @throws Unreadable for a reference that leaves the document. */
  convert(schema: unknown): ConvertedSchema {
    const nameOf = (reference: string) => this.#nameOf(reference);
    const isMatched = (pattern: string) => this.#patterns.takes(pattern);
    return convertSchema(schema, {
      document: this.#document,
      direction: this.#direction,
      nameOf,
      isMatched,
    });
  }

  /**
   * The definitions that these schemas reach, and no others, up to a limit.
   * @throws Unreadable if one of them is invalid, or cannot be evaluated in finite time, or there are too many.
   */
  definitionsOf(
    parts: readonly ConvertedSchema[],
    most = MOST_OF_ONE,
  ): Readonly<Record<string, JsonSchema | boolean>> {
    const reached = new Map<string, ConvertedSchema>();
    const seen = new Set<string>();
    for (const { uses } of parts) for (const reference of uses) seen.add(reference);
    // The set grows while it is iterated: it is the queue.
    for (const reference of seen) {
      if (seen.size > most) throw tooMany();
      const definition = this.#define(reference);
      if ("error" in definition) throw new Unreadable(definition.error);
      reached.set(reference, definition);
      for (const used of definition.uses) seen.add(used);
    }
    this.#left -= reached.size;
    if (this.#left < 0) throw tooMany();
    assertEnds(reached);
    return Object.fromEntries(
      [...reached].map(([reference, { schema }]) => [this.#nameOf(reference), schema]),
    );
  }

  #define(reference: string): Definition {
    const known = this.#definitions.get(reference);
    if (known !== undefined) return known;
    const made = this.#read(reference);
    this.#definitions.set(reference, made);
    return made;
  }

  #read(reference: string): Definition {
    const schema = findPointer(this.#document, reference);
    if (schema === undefined) return { error: `it refers to ${quoted(reference)}, which does not exist` };
    try {
      return this.convert(schema);
    } catch (error) {
      if (error instanceof Unreadable) return { error: error.message };
      throw error;
    }
  }

  /** The last key of the reference, in characters that need no escape, and unique. */
  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const last = pointerParts(reference).at(-1) ?? "";
    const name = this.#taken.give(last.replaceAll(/[^\w.-]+/g, "_").slice(0, 80) || "schema");
    this.#names.set(reference, name);
    return name;
  }
}

function tooMany(): Unreadable {
  return new Unreadable("the document's schemas exceed the limit for all operations together");
}

/** A definition that refers to itself without descending into the value would be checked forever. */
function assertEnds(definitions: ReadonlyMap<string, ConvertedSchema>): void {
  const waiting = new Map<string, number>();
  const usedBy = new Map<string, string[]>();
  for (const [reference, { inPlace }] of definitions) {
    waiting.set(reference, inPlace.size);
    for (const used of inPlace) {
      const users = usedBy.get(used);
      if (users === undefined) usedBy.set(used, [reference]);
      else users.push(reference);
    }
  }
  const done = [...waiting.keys()].filter((reference) => waiting.get(reference) === 0);
  for (let reference = done.pop(); reference !== undefined; reference = done.pop()) {
    waiting.delete(reference);
    for (const user of usedBy.get(reference) ?? []) {
      const left = (waiting.get(user) ?? 0) - 1;
      waiting.set(user, left);
      if (left === 0) done.push(user);
    }
  }
  const [circular] = waiting.keys();
  if (circular !== undefined)
    throw new Unreadable(
      `the schema ${quoted(circular)} refers only to itself, so that no value can be checked`,
    );
}

/** The limit for all patterns of a document together, with their repetitions expanded. */
const LARGEST = 30_000;

/** Which patterns of a document are matched. A tool that is called keeps them all in memory. */
class PatternBudget {
  readonly #known = new Map<string, boolean>();
  #left = LARGEST;

  /** Returns the same answer each time. Patterns beyond the limit are not matched. */
  takes(pattern: string): boolean {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known;
    const size = isUsablePattern(pattern) ? patternSize(pattern) : Number.POSITIVE_INFINITY;
    const isTaken = size <= this.#left;
    if (isTaken) this.#left -= size;
    this.#known.set(pattern, isTaken);
    return isTaken;
  }
}
