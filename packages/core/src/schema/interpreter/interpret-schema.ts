import type { JsonSchema } from "../../contract/call/schema-type.ts";
import { isRecord } from "../../contract/values/is-record.ts";
import { type LinearPattern, linearPattern } from "../patterns/linear-pattern.ts";
import { COMBINING_KEYWORDS, take } from "./combining-keywords.ts";
import type { ValidationError } from "./evaluation.ts";
import {
  fail,
  type Interpreter,
  type Keyword,
  newOutcome,
  type Outcome,
  type Position,
} from "./evaluation.ts";
import { LIST_KEYWORDS, unevaluatedItems } from "./list-keywords.ts";
import { OBJECT_KEYWORDS, unevaluatedProperties } from "./object-keywords.ts";
import { resolveReference } from "./resolve-reference.ts";
import { VALUE_KEYWORDS } from "./value-keywords.ts";

/** Deeper than schemas and arguments can be together, unless a schema leads back to itself. */
const DEEPEST = 1_000;

const reference: Keyword = (use) => {
  const { base, ...position } = use.position;
  const found = resolveReference(String(use.value), base);
  take(use, use.interpreter.evaluate(found.schema, { ...position, base: found.base }));
};

/** In the order of the compiled form: `properties`, which fills in defaults, comes after what combines schemas. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...VALUE_KEYWORDS,
  $ref: reference,
  $dynamicRef: reference,
  ...COMBINING_KEYWORDS,
  ...LIST_KEYWORDS,
  ...OBJECT_KEYWORDS,
  unevaluatedItems,
  unevaluatedProperties,
};

/** Keywords that the older dialects do not have. */
const NEWER: ReadonlySet<string> = new Set([
  "$dynamicRef",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Validates without generating code, for platforms that forbid it. Slower than the compiled form, with the same
 * verdicts: patterns are matched in linear time, and defaults are filled in.
 */
export function interpretSchema(schema: JsonSchema): (value: unknown) => readonly ValidationError[] {
  const interpreter = new SchemaInterpreter(/draft-0[4-7]/.test(String(schema["$schema"] ?? "")));
  return (data) => interpreter.evaluate(schema, { data, path: "", base: schema, isTried: false }).errors;
}

class SchemaInterpreter implements Interpreter {
  readonly isOlder: boolean;
  readonly #patterns = new Map<string, LinearPattern>();
  #depth = 0;

  constructor(isOlder: boolean) {
    this.isOlder = isOlder;
  }

  pattern(text: string): LinearPattern {
    const made = this.#patterns.get(text) ?? linearPattern(text);
    this.#patterns.set(text, made);
    return made;
  }

  evaluate(schema: unknown, position: Position): Outcome {
    const outcome = newOutcome();
    if (schema === false) fail({ outcome, position }, "false schema", {}, "boolean schema is false");
    if (!isRecord(schema)) return outcome;
    this.#depth += 1;
    try {
      if (this.#depth > DEEPEST) throw new Error("The schema leads back to itself.");
      this.#apply(schema, { ...position, base: isResource(schema) ? schema : position.base }, outcome);
    } finally {
      this.#depth -= 1;
    }
    return outcome;
  }

  #apply(schema: JsonSchema, position: Position, outcome: Outcome): void {
    for (const [name, keyword] of Object.entries(KEYWORDS)) {
      if (!Object.hasOwn(schema, name) || (this.isOlder && NEWER.has(name))) continue;
      keyword({ value: schema[name], schema, position, outcome, interpreter: this });
    }
  }
}

/** A schema with an address of its own: references in it are relative to it. */
function isResource({ $id }: JsonSchema): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}
