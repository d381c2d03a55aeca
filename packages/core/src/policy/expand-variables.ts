import type { Variables } from "../contract/requirements.ts";

const KNOWN = new Set(["workspace", "ad-hoc", "user-data"]);

/**
 * Every pattern that one with variables and alternatives (`{a,b}`) stands for; none, when a variable
 * has no value. What is thrown for a variable that nobody knows is the caller's to say.
 */
export function expandVariables(
  pattern: string,
  variables: Variables,
  unknown: (name: string) => Error,
): string[] {
  const choice = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (choice !== null) {
    return (choice[1] as string).split(",").flatMap((one) =>
      expandVariables(
        pattern.replace(choice[0], () => one),
        variables,
        unknown,
      ),
    );
  }
  const found = /\{([A-Za-z][\w-]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const name = found[1] as string;
  if (!KNOWN.has(name)) throw unknown(name);
  const values = variables[name as keyof Variables] ?? [];
  return values.flatMap((value) =>
    expandVariables(
      pattern.replace(found[0], () => value),
      variables,
      unknown,
    ),
  );
}
