import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isWithin } from "@toolkeep/core/internal";

/** Variables by which programs find certificates of further authorities, as networks of companies need them. */
export const CERTIFICATE_VARIABLES: readonly string[] = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT"],
  ...["GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO"],
];

/** In every sandbox already. Those of the system in `/etc` are shown only to commands that reach hosts. */
const SYSTEM = "/usr";

const LARGEST = 8_388_608;

type Values = Readonly<Record<string, string | undefined>>;

/** Those of the variables that name a file of certificates alone, with the file as it really is. */
export function certificateFiles(values: Values): Readonly<Record<string, string>> {
  const found = CERTIFICATE_VARIABLES.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const file = value === undefined ? undefined : certificatesAt(value);
    return file === undefined ? [] : [[name, file] as const];
  });
  return Object.fromEntries(found);
}

/** The files that a sandbox must be shown for them. */
export function shownCertificates(files: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set(Object.values(files))].filter((file) => !isWithin(file, SYSTEM));
}

function certificatesAt(path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    const file = realpathSync.native(path);
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > LARGEST) return undefined;
    const text = readFileSync(file, "latin1");
    const kinds = new Set(text.match(/-----BEGIN [^-]*-----/g));
    return kinds.size === 1 && kinds.has("-----BEGIN CERTIFICATE-----") ? file : undefined;
  } catch {
    return undefined;
  }
}
