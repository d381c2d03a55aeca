import type { ValidationError } from "./interpreter/evaluation.ts";
import { kindOf } from "./read-arguments.ts";

const MOST_ERRORS = 10;

/** Words a model can act on: where, what was expected, what came. `whole` names the value itself. */
export function describeErrors(
  errors: readonly ValidationError[],
  value: unknown,
  whole = "arguments",
): string {
  const lines = [...new Set(errors.map((error) => describe(error, value, whole)))];
  const rest = lines.length - MOST_ERRORS;
  return lines.slice(0, MOST_ERRORS).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function describe(error: ValidationError, args: unknown, whole: string): string {
  const where = error.instancePath === "" ? whole : error.instancePath;
  const { params } = error;
  switch (error.keyword) {
    case "required":
      return `${where}: the property ${quote(params["missingProperty"])} is missing`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${where}: the property ${quote(params["additionalProperty"] ?? params["unevaluatedProperty"])} is not known`;
    case "type":
      return `${where}: expected ${[params["type"]].flat().join(" or ")}, got ${shown(valueAt(args, error.instancePath))}`;
    case "enum":
      return `${where}: expected one of ${list(params["allowedValues"])}, got ${shown(valueAt(args, error.instancePath))}`;
    case "const":
      return `${where}: expected ${quote(params["allowedValue"])}, got ${shown(valueAt(args, error.instancePath))}`;
    case "pattern":
      return `${where}: must match ${String(params["pattern"])}, got ${shown(valueAt(args, error.instancePath))}`;
    default:
      return `${where}: ${error.message ?? error.keyword}, got ${shown(valueAt(args, error.instancePath))}`;
  }
}

function valueAt(args: unknown, pointer: string): unknown {
  let here = args;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string, unknown>)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here;
}

/** The kind of a value and, where it is short, the value. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "object") return kindOf(value);
  const text = JSON.stringify(value);
  return `${kindOf(value)} (${text.length > 60 ? `${text.slice(0, 57)}...` : text})`;
}

function list(values: unknown): string {
  const all = Array.isArray(values) ? values : [values];
  const first = all.slice(0, 20).map(quote).join(", ");
  return all.length > 20 ? `${first} and ${all.length - 20} more` : first;
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
