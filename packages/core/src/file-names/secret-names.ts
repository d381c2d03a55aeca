import { SECRET_ENDINGS, SECRET_FOLDERS, SECRET_NAMES, SECRET_PLACES } from "./secret-files.ts";

const SECRET_PATHS = pathsPattern(SECRET_PLACES);
const KEY_FILE = /^id_[a-z0-9_-]+$/;
const ACCOUNT_FILE = /^(?:client_secret.*|.*service[-_]account.*|.*\.tfvars)\.json$/;
const HISTORY = /^\.[a-z0-9_]+_history$/;
const ENVIRONMENT_OF_PROCESS = /\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem)\//;
const COPY = /(?:~|\.(?:bak|old|orig|backup|save))$/;
/** Editors put a dot before the name, unless one is there that they count. */
const SWAP = /^\.?(.+)\.sw[a-p]$/;
const AUTOSAVED = /^#(.+)#$/;
const SAMPLE = /(?:^|[._-])(?:example|sample|template)(?:$|[._-])/;

/** Whether folded segments name a file with keys, credentials or shell history. */
export function isSecretPath(segments: readonly string[]): boolean {
  const name = segments.at(-1);
  if (name === undefined || name.endsWith(".pub")) return false;
  if (segments.some((segment) => SECRET_FOLDERS.has(segment))) return true;
  const folder = segments.slice(0, -1);
  return copiedNames(name).some((one) => isSecretName(one) || isSecretPlace([...folder, one]));
}

function isSecretPlace(segments: readonly string[]): boolean {
  const joined = `/${segments.join("/")}/`;
  return SECRET_PATHS.test(joined) || ENVIRONMENT_OF_PROCESS.test(joined);
}

/** A name, and those of which it is a copy that an editor or a person left. */
function copiedNames(name: string): readonly string[] {
  const names: string[] = [];
  for (let last: string | undefined = name; last !== undefined; last = originalOf(last)) names.push(last);
  return names;
}

function originalOf(name: string): string | undefined {
  const inner = SWAP.exec(name)?.[1] ?? AUTOSAVED.exec(name)?.[1];
  if (inner !== undefined) return inner;
  return name.length > 1 && COPY.test(name) ? name.replace(COPY, "") : undefined;
}

function isSecretName(name: string): boolean {
  if (SECRET_NAMES.has(name) || KEY_FILE.test(name) || HISTORY.test(name) || ACCOUNT_FILE.test(name)) {
    return true;
  }
  const dot = name.lastIndexOf(".");
  return (dot > 0 && SECRET_ENDINGS.has(name.slice(dot + 1))) || isEnvironment(name);
}

function isEnvironment(name: string): boolean {
  const isOne = name === ".env" || /^\.env[._-]/.test(name) || name.endsWith(".env");
  return isOne && !SAMPLE.test(name);
}

/** Finds one of these relative paths in a path. */
function pathsPattern(paths: readonly string[]): RegExp {
  return new RegExp(`/(?:${paths.map((path) => path.replaceAll(".", "\\.")).join("|")})/`);
}
