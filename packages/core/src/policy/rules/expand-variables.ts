import type { Variables } from "../../contract/call/effect.ts";
import { firstVariable, isKnownVariable } from "../../contract/call/variables.ts";

/**
 * Expands the variables of a pattern; none if a variable has no value. Values are not looked at for further variables.
 * Alternatives (`{a,b}`) are expanded by the patterns themselves. The caller says what is thrown for an unknown variable.
 */
export function expandVariables(
  pattern: string,
  variables: Variables,
  unknown: (name: string) => Error,
): string[] {
  const found = firstVariable(pattern);
  if (found === undefined) return [pattern];
  const { before, name, after } = found;
  if (!isKnownVariable(name, Object.keys(variables))) throw unknown(name);
  const rest = expandVariables(after, variables, unknown);
  return (variables[name] ?? []).flatMap((value) => rest.map((end) => `${before}${joined(value, end)}`));
}

/** The root of the machine brings the slash that follows it. */
function joined(value: string, end: string): string {
  return value.endsWith("/") && end.startsWith("/") ? `${value}${end.slice(1)}` : `${value}${end}`;
}
