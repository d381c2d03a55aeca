import { invalidOption } from "../values/error.ts";
import type { Variables } from "./effect.ts";

/** The variables that every session has, with a value or without. */
export const STANDARD_VARIABLES: readonly string[] = ["workspace", "ad-hoc", "user-data", "tmp"];

const VARIABLE = /\{([A-Za-z][\w-]*)\}/;
const VARIABLES = new RegExp(VARIABLE, "g");
const NAME = /^[A-Za-z][\w-]*$/;
/** A value is put into patterns as it is, so it has nothing that means more than itself there. */
const LITERAL_NAME = /^\w(?:[\w.-]*\w)?$/;
const LITERAL_PATH = /^(?:\/|[A-Za-z]:[\\/])[^*?{},\p{Cc}]*$/u;
/** Steps and empty names, which no resolved path has: with them a deny would match nothing. */
const UNRESOLVED = /(?:^|[\\/])\.{1,2}(?:$|[\\/])|[\\/]{2}|[^:][\\/]$/;

/** A pattern up to its first variable, the variable, and what follows. Alternatives (`{a,b}`) are no variables. */
export function firstVariable(
  pattern: string,
): { readonly before: string; readonly name: string; readonly after: string } | undefined {
  const found = VARIABLE.exec(pattern);
  if (found === null) return undefined;
  const [written, name = ""] = found;
  const before = pattern.slice(0, found.index);
  return { before, name, after: pattern.slice(before.length + written.length) };
}

/** The first variable of some patterns that is neither a standard one nor declared. */
export function unknownVariable(
  patterns: readonly string[],
  declared: readonly string[],
): string | undefined {
  const names = patterns.flatMap((pattern) =>
    Array.from(pattern.matchAll(VARIABLES), ([, name = ""]) => name),
  );
  return names.find((name) => !isKnownVariable(name, declared));
}

export function isKnownVariable(name: string, declared: readonly string[]): boolean {
  return STANDARD_VARIABLES.includes(name) || declared.includes(name);
}

/** Checks variables; the standard ones have paths of the machine as values. @throws ToolkeepError `invalid_option`. */
export function assertVariables(variables: Variables): void {
  for (const name of Object.keys(variables).filter((one) => !STANDARD_VARIABLES.includes(one))) {
    if (!NAME.test(name))
      throw invalidOption(
        `The variable ${JSON.stringify(name)} must be a letter, then letters, digits, _ or -.`,
      );
    const values: unknown = variables[name];
    const wrong = Array.isArray(values) ? values.find((value) => !isLiteral(value)) : values;
    if (wrong !== undefined)
      throw invalidOption(
        `The variable {${name}} has the value ${JSON.stringify(wrong)}. Give a list of absolute paths, each without a slash at its end, or of names with letters, digits, dots, _ and -; no patterns.`,
      );
  }
}

function isLiteral(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return LITERAL_NAME.test(value) || (LITERAL_PATH.test(value) && !UNRESOLVED.test(value));
}
