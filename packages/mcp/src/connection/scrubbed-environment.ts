const PASSED: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL"]);
/** Which authorities are trusted. Without them nothing is reached from behind a proxy that looks into everything. */
const AUTHORITIES: ReadonlySet<string> = new Set(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"]);
/** In capitals or not: programs differ. */
const PROXIES: ReadonlySet<string> = new Set(
  ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
);

export type EnvironmentValues = Readonly<Record<string, string | undefined>>;

/** The whole environment of a server's program: what programs need to start, what its entry says, and nothing else. */
export function scrubbedEnvironment(
  ours: EnvironmentValues,
  entry: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const passed = Object.entries(ours).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && isPassed(pair[0], pair[1]) && !isFunction(pair[1]),
  );
  return { ...Object.fromEntries(passed), ...entry };
}

/** A proxy that is told who we are is told a secret, which no server gets unless its entry says so. */
function isPassed(name: string, value: string): boolean {
  if (PROXIES.has(name)) return !value.includes("@");
  return PASSED.has(name) || AUTHORITIES.has(name) || name.startsWith("LC_");
}

/** Some shells run what such a value holds. */
function isFunction(value: string): boolean {
  return value.startsWith("()");
}
