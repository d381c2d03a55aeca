import type { JsonSchema } from "../../contract/call/schema-type.ts";
import { isRecord } from "../../contract/values/is-record.ts";
import { type LinearPattern, linearPattern } from "../patterns/linear-pattern.ts";
import {
  attempt,
  fail,
  type Interpreter,
  type Keyword,
  type KeywordUse,
  merge,
  newOutcome,
  type Outcome,
  type Position,
  type ValidationError,
} from "./evaluation.ts";
import { LIST_KEYWORDS, unevaluatedItems } from "./list-keywords.ts";
import { OBJECT_KEYWORDS, unevaluatedProperties } from "./object-keywords.ts";
import { VALUE_KEYWORDS } from "./value-keywords.ts";

/** Keywords that hold the same value against other schemas. */
const COMBINING_KEYWORDS: Readonly<Record<string, Keyword>> = {
  allOf(use) {
    for (const schema of use.value as readonly unknown[])
      take(use, use.interpreter.evaluate(schema, use.position));
  },
  anyOf(use) {
    const outcomes = (use.value as readonly unknown[]).map((schema) => attempt(use, schema));
    const held = outcomes.filter(holds);
    for (const outcome of held) merge(use.outcome, outcome);
    if (held.length === 0) failAll(use, outcomes, "anyOf", "must match a schema in anyOf");
  },
  oneOf(use) {
    const outcomes = (use.value as readonly unknown[]).map((schema) => attempt(use, schema));
    const held = outcomes.filter(holds);
    const [only] = held;
    if (held.length === 1 && only !== undefined) merge(use.outcome, only);
    else failAll(use, held.length > 1 ? [] : outcomes, "oneOf", "must match exactly one schema in oneOf");
  },
  not(use) {
    if (holds(attempt(use, use.value))) fail(use, "not", {}, "must NOT be valid");
  },
  if(use) {
    const { then: consequence, else: alternative } = use.schema;
    const condition = attempt(use, use.value);
    const isTrue = holds(condition);
    if (isTrue) merge(use.outcome, condition);
    const branch = isTrue ? consequence : alternative;
    if (branch === undefined) return;
    const outcome = attempt(use, branch);
    merge(use.outcome, outcome);
    if (!holds(outcome)) failAll(use, [outcome], "if", `must match "${isTrue ? "then" : "else"}" schema`);
  },
};

/** Everything counts: what was found wrong, and what was looked at. */
function take(use: KeywordUse, inner: Outcome): void {
  use.outcome.errors.push(...inner.errors);
  merge(use.outcome, inner);
}

function holds({ errors }: Outcome): boolean {
  return errors.length === 0;
}

function failAll(use: KeywordUse, outcomes: readonly Outcome[], keyword: string, message: string): void {
  use.outcome.errors.push(...outcomes.flatMap(({ errors }) => errors));
  fail(use, keyword, {}, message);
}

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

/** The schema that a reference leads to, and what references in it are relative to. */
interface Resolved {
  readonly schema: unknown;
  readonly base: JsonSchema;
}

/** Follows `#`, `#/a/pointer` and `#anchor` within a schema. @throws when it leads nowhere. */
function resolveReference(reference: string, base: JsonSchema): Resolved {
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
