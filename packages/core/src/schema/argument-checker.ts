import type { Arguments } from "../contract/call.ts";
import {
  isStandardSchema,
  type Schema,
  type StandardIssue,
  type StandardOutcome,
} from "../contract/schema-type.ts";
import { compileValidator } from "./compile-validator.ts";
import { freezeArguments, readArguments } from "./read-arguments.ts";

export type CheckOutcome =
  | { readonly args: Arguments; readonly fault?: undefined }
  /** Why the arguments do not fit, for the model. */
  | { readonly fault: string };

/** Checks raw arguments and makes them ours: parsed or copied, with defaults, frozen. */
export type ArgumentChecker = (raw: unknown) => CheckOutcome | Promise<CheckOutcome>;

const checkers = new WeakMap<Schema, ArgumentChecker>();

/**
 * The checker of a schema, made at the first call and kept.
 * @throws when the schema cannot be compiled.
 */
export function argumentChecker(schema: Schema): ArgumentChecker | Promise<ArgumentChecker> {
  return checkers.get(schema) ?? makeChecker(schema);
}

async function makeChecker(schema: Schema): Promise<ArgumentChecker> {
  const checker = isStandardSchema(schema)
    ? standardChecker(schema["~standard"].validate)
    : jsonSchemaChecker(await compileValidator(schema));
  checkers.set(schema, checker);
  return checker;
}

function jsonSchemaChecker(validate: (value: unknown) => string | undefined): ArgumentChecker {
  return (raw) => {
    const read = readArguments(raw);
    if (read.fault !== undefined) return read;
    const fault = validate(read.args);
    return fault === undefined ? freeze(read.args) : { fault };
  };
}

function standardChecker(
  validate: (value: unknown) => StandardOutcome<unknown> | Promise<StandardOutcome<unknown>>,
): ArgumentChecker {
  return (raw) => {
    const read = readArguments(raw);
    if (read.fault !== undefined) return read;
    const outcome = validate(read.args);
    return outcome instanceof Promise ? outcome.then(toOutcome) : toOutcome(outcome);
  };
}

function toOutcome(outcome: StandardOutcome<unknown>): CheckOutcome {
  if (outcome.issues !== undefined)
    return { fault: outcome.issues.slice(0, 10).map(describeIssue).join("; ") };
  return freeze(outcome.value as Record<string, unknown>);
}

function freeze(args: Record<string, unknown>): CheckOutcome {
  const frozen = freezeArguments(args);
  return frozen === undefined ? { fault: 'the property name "__proto__" is not allowed' } : { args: frozen };
}

function describeIssue(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("/");
  return `${path === "" ? "arguments" : `/${path}`}: ${issue.message}`;
}
