/** Files that hold credentials, by their whole name. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  ".envrc",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".s3cfg",
  ".boto",
  ".htpasswd",
  ".vault-token",
  ".dockercfg",
  ".dockerconfigjson",
  "kubeconfig",
  "kubeconfig.yaml",
  "kubeconfig.yml",
  ".terraformrc",
  ".credentials.json",
  "credentials",
  "credentials.json",
  "secrets.json",
  "secrets.toml",
  "secrets.yaml",
  "secrets.yml",
  "fish_history",
  "consolehost_history.txt",
  ".histfile",
  ".lesshst",
  ".viminfo",
  "login data",
  "logins.json",
  "cookies.sqlite",
  "key4.db",
]);

/** Folders in which every file is a secret. */
export const SECRET_FOLDERS: ReadonlySet<string> = new Set([
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".gcloud",
  ".password-store",
]);

export const SECRET_ENDINGS: ReadonlySet<string> = new Set([
  "pem",
  "key",
  "p8",
  "p12",
  "pfx",
  "ppk",
  "jks",
  "keystore",
  "kdbx",
  "ovpn",
  "keychain",
  "keychain-db",
  "tfstate",
  "tfvars",
  "kubeconfig",
]);

/** Files and folders that are known by where they stand. */
const SECRET_PATHS = pathsPattern([
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".config/github-copilot",
  "library/keychains",
  "share/keyrings",
  ".docker/config.json",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".terraform.d/credentials.tfrc.json",
  ".codex/auth.json",
  "etc/shadow",
  "etc/gshadow",
  "etc/sudoers",
  "etc/ssl/private",
  "run/secrets",
]);

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
