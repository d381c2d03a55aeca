import { type Variables, variableIn } from "../contract/requirements.ts";

/**
 * Every pattern that one with variables stands for; none, when a variable has no value. Alternatives
 * (`{a,b}`) are left to the patterns, which know what they mean in their place. What is thrown for a
 * variable that nobody knows is the caller's to say.
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
