import type { JsonSchema } from "../../contract/call/schema-type.ts";

import type { LinearPattern } from "../patterns/linear-pattern.ts";

/** A value that is held against a schema, and where it is. */
export interface Position {
  readonly data: unknown;
  /** The JSON pointer of the data. */
  readonly path: string;
  /** The schema that references are relative to. */
  readonly base: JsonSchema;
  /** Within `anyOf` and the like nothing is filled in: another branch may hold. */
  readonly isTried: boolean;
}

/** What came of it: errors, and which parts of the data were looked at. */
export interface Outcome {
  readonly errors: ValidationError[];
  /** The names of the properties that a keyword has looked at. */
  readonly names: Set<string>;
  /** How many items, from the first on, a keyword has looked at. */
  items: number;
}

/** What all keywords share. */
export interface Interpreter {
  /** Whether the schema is of a dialect before 2019. */
  readonly isOlder: boolean;
  evaluate(schema: unknown, position: Position): Outcome;
  pattern(text: string): LinearPattern;
}

/** One keyword of a schema and the value that is held against it. */
export interface KeywordUse {
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly position: Position;
  readonly outcome: Outcome;
  readonly interpreter: Interpreter;
}

/** Adds its errors, and what it has looked at, to the outcome. */
export type Keyword = (use: KeywordUse) => void;

export function newOutcome(): Outcome {
  return { errors: [], names: new Set(), items: 0 };
}

export function fail(
  { outcome, position }: Pick<KeywordUse, "outcome" | "position">,
  keyword: string,
  params: ValidationError["params"],
  message?: string,
): void {
  const { path: instancePath } = position;
  outcome.errors.push({ instancePath, keyword, params, ...(message === undefined ? {} : { message }) });
}

/** Holds an inner value against a schema: its errors count. Returns whether it holds. */
export function descend(
  { position, outcome, interpreter }: KeywordUse,
  schema: unknown,
  inner: { readonly data: unknown; readonly key: string | number },
): boolean {
  const key = String(inner.key).replaceAll("~", "~0").replaceAll("/", "~1");
  const path = `${position.path}/${key}`;
  const { errors } = interpreter.evaluate(schema, { ...position, data: inner.data, path });
  outcome.errors.push(...errors);
  return errors.length === 0;
}

/** Holds the same value against a schema, as one of several. */
export function attempt({ position, interpreter }: KeywordUse, schema: unknown): Outcome {
  return interpreter.evaluate(schema, { ...position, isTried: true });
}

/** What a schema that holds has looked at need not be looked at again. */
export function merge(outcome: Outcome, { names, items }: Outcome): void {
  for (const name of names) outcome.names.add(name);
  outcome.items = Math.max(outcome.items, items);
}

/** The part of an ajv error that we read. */
export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}
