const PASSED: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL"]);

export type EnvironmentValues = Readonly<Record<string, string | undefined>>;

/** The whole environment of a server's program: what programs need to start, what its entry says, and nothing else. */
export function scrubbedEnvironment(
  ours: EnvironmentValues,
  entry: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const passed = Object.entries(ours).filter(
    (pair): pair is [string, string] =>
      (PASSED.has(pair[0]) || pair[0].startsWith("LC_")) && pair[1] !== undefined && !isFunction(pair[1]),
  );
  return { ...Object.fromEntries(passed), ...entry };
}

/** Some shells run what such a value holds. */
function isFunction(value: string): boolean {
  return value.startsWith("()");
}
