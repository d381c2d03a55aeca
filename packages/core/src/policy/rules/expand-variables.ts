import { type Variables, variableIn } from "../../contract/call/effect.ts";

/**
 * Expands the variables of a pattern; none if a variable has no value. Alternatives
 * (`{a,b}`) are expanded by the patterns themselves. The caller says what is thrown for an
 * unknown variable.
 */
export function expandVariables(
  pattern: string,
  variables: Variables,
  unknown: (name: string) => Error,
): string[] {
  const found = variableIn(pattern);
  if (found === undefined) return [pattern];
  const { name, isKnown } = found;
  if (!isKnown) throw unknown(name);
  const values = variables[name as keyof Variables] ?? [];
  return values.flatMap((value) =>
    expandVariables(
      pattern.replace(`{${name}}`, () => value),
      variables,
      unknown,
    ),
  );
}
