const PASSED: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL"]);
/** The trusted certificate authorities. Without them nothing is reachable behind a proxy that inspects TLS. */
const AUTHORITIES: ReadonlySet<string> = new Set(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"]);
/** In upper and lower case: programs differ. */
const PROXIES: ReadonlySet<string> = new Set(
  ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
);

export type EnvironmentValues = Readonly<Record<string, string | undefined>>;

/** The whole environment of a server's program: what programs need to start, and what its entry sets. */
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

/** A proxy address with credentials is a secret, which no server receives unless its entry says so. */
function isPassed(name: string, value: string): boolean {
  if (PROXIES.has(name)) return !value.includes("@");
  return PASSED.has(name) || AUTHORITIES.has(name) || name.startsWith("LC_");
}

/** Some shells execute such a value. */
function isFunction(value: string): boolean {
  return value.startsWith("()");
}
