import {
  isStandardSchema,
  type JsonSchema,
  type Schema,
  type StandardIssue,
  type StandardOutcome,
  type StandardSchema,
} from "../contract/call/schema-type.ts";
import type { Arguments } from "../contract/policy/policy-call.ts";
import { isRecord } from "../contract/values/is-record.ts";
import { unlessThrown } from "../contract/values/unless-thrown.ts";
import { compileValidator } from "./compile-validator.ts";
import { type FitsPlainly, plainSchema } from "./plain-schema.ts";
import { freezeArguments, readArguments } from "./read-arguments.ts";
import { toJsonSchema } from "./to-json-schema.ts";

export type CheckOutcome =
  | {
      readonly args: Arguments;
      /** Whether the schema may have added or changed something. */
      readonly isChanged: boolean;
      readonly error?: undefined;
    }
  /** Why the arguments do not fit, for the model. */
  | { readonly error: string };

/** Checks raw arguments and makes them ours: parsed or copied, with defaults, frozen. */
export type ArgumentChecker = (raw: unknown) => CheckOutcome | Promise<CheckOutcome>;

const checkers = new WeakMap<Schema, ArgumentChecker>();

/** The checker of a schema, made at the first call and kept. @throws when the schema cannot be compiled. */
export function argumentChecker(schema: Schema): ArgumentChecker | Promise<ArgumentChecker> {
  return checkers.get(schema) ?? makeChecker(schema);
}

async function makeChecker(schema: Schema): Promise<ArgumentChecker> {
  const fits = isStandardSchema(schema) ? undefined : plainSchema(schema);
  const validate = fits === undefined ? await fullValidator(schema) : plainValidator(schema, fits);
  const checker: ArgumentChecker = (raw) => {
    const read = readArguments(raw);
    return read.error === undefined ? validate(read.args) : read;
  };
  checkers.set(schema, checker);
  return checker;
}

type Validator = (args: Record<string, unknown>) => CheckOutcome | Promise<CheckOutcome>;

/** Loads the engine for the first arguments that do not certainly fit. */
function plainValidator(schema: Schema, fits: FitsPlainly): Validator {
  let full: Validator | undefined;
  return (args) => {
    if (fits(args)) return freeze(args, false);
    if (full !== undefined) return full(args);
    return fullValidator(schema).then((loaded) => {
      full = loaded;
      return loaded(args);
    });
  };
}

async function fullValidator(schema: Schema): Promise<Validator> {
  const validate = isStandardSchema(schema) ? standardValidator(schema) : await jsonSchemaValidator(schema);
  return (args) => {
    const outcome = validate(args);
    if (outcome instanceof Promise || outcome.error === undefined) return outcome;
    return again(args, schema, validate) ?? outcome;
  };
}

async function jsonSchemaValidator(schema: JsonSchema): Promise<Validator> {
  const validate = await compileValidator(schema);
  const hasDefaults = JSON.stringify(schema).includes('"default"');
  return (args) => {
    const error = validate(args);
    return error === undefined ? freeze(args, hasDefaults) : { error };
  };
}

function standardValidator(schema: StandardSchema): Validator {
  return (args) => {
    const outcome = schema["~standard"].validate(args);
    return outcome instanceof Promise ? outcome.then(toOutcome) : toOutcome(outcome);
  };
}

/** Arguments that fit once the nulls are gone that strict definitions ask for. */
function again(args: Record<string, unknown>, schema: Schema, validate: Validator): CheckOutcome | undefined {
  const kept = dropOptionalNulls(args, knownJsonSchema(schema));
  const outcome = kept === undefined ? undefined : validate(kept);
  if (outcome === undefined || outcome instanceof Promise || outcome.error !== undefined) return undefined;
  return { args: outcome.args, isChanged: true };
}

/** Some schemas cannot say what they accept; they are then taken at their word. */
function knownJsonSchema(schema: Schema): JsonSchema {
  return unlessThrown(() => toJsonSchema(schema)) ?? {};
}

function toOutcome(outcome: StandardOutcome<unknown>): CheckOutcome {
  if (outcome.issues !== undefined)
    return {
      error: outcome.issues
        .slice(0, 10)
        .map((issue) => describeIssue(issue, "arguments"))
        .join("; "),
    };
  return freeze(outcome.value as Record<string, unknown>, true);
}

function freeze(args: Record<string, unknown>, isChanged: boolean): CheckOutcome {
  const frozen = freezeArguments(args);
  return frozen === undefined
    ? { error: 'the property name "__proto__" is not allowed' }
    : { args: frozen, isChanged };
}

/** One issue of a Standard Schema; `whole` names the value itself. */
export function describeIssue(issue: StandardIssue, whole: string): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("/");
  return `${path === "" ? whole : `/${path}`}: ${issue.message}`;
}

/** Strict definitions require every property, so `null` means "left out". Gives the arguments without such nulls. */
function dropOptionalNulls(value: unknown, schema: unknown): Record<string, unknown> | undefined {
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
