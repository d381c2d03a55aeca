/**
 * Environment variables that decide which code runs, which program is found, or where traffic and trust go: their
 * values are part of the command, and a person who accepts a server must read them. Data, by what reads them; `*` stands for
 * any end of a name. Names are compared without case, as npm and Windows do.
 */
const NAMES: Readonly<Record<string, string>> = {
  "the loader": "LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES LIBPATH SHLIB_PATH _RLD_*",
  "what is found and started":
    "PATH PATHEXT COMSPEC SHELL EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK TERMINFO",
  shells:
    "BASH_ENV ENV SHELLOPTS BASHOPTS BASH_FUNC_* PS4 PROMPT_COMMAND IFS CDPATH ZDOTDIR FPATH PSMODULEPATH",
  "where settings are":
    "HOME USERPROFILE APPDATA LOCALAPPDATA XDG_* CURL_HOME WGETRC DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_PROFILE GNUPGHOME TOOLKEEP_*",
  node: "NODE_* NPM_CONFIG_* YARN_* PNPM_* COREPACK_* BUN_* DENO_* TS_NODE_* TSX_* BABEL_* ELECTRON_*",
  python: "PYTHON* PIP_* UV_* PIPX_* POETRY_* PDM_* CONDA_* VIRTUAL_ENV",
  ruby: "RUBYOPT RUBYLIB RUBYSHELL GEM_PATH GEM_HOME BUNDLE_* IRBRC",
  perl: "PERL5OPT PERL5LIB PERL5DB PERLLIB PERL_*",
  java: "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS JAVA_HOME CLASSPATH MAVEN_* GRADLE_* SBT_OPTS JBANG_*",
  dotnet: "DOTNET_* COR_* CORECLR_* MSBUILD* NUGET_*",
  go: "GOFLAGS GOPATH GOROOT GOBIN GOENV GOTOOLCHAIN GOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE CC CXX AR LD",
  rust: "RUSTC RUSTC_* RUSTFLAGS RUSTDOC RUSTUP_* CARGO_*",
  others:
    "LUA_* TCLLIBPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE* R_ENVIRON* R_LIBS* JULIA_* ERL_* ELIXIR_ERL_OPTIONS GUILE_* MAKEFLAGS MAKEFILES GIT_*",
  "where traffic and trust go":
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE OPENSSL_* HOSTALIASES RES_OPTIONS",
};

const WORDS = Object.values(NAMES).flatMap((names) => names.split(" "));
const EXACT: ReadonlySet<string> = new Set(WORDS.filter((word) => !word.endsWith("*")));
const STARTS = WORDS.filter((word) => word.endsWith("*")).map((word) => word.slice(0, -1));
/** Among those that only begin so: `NODE_AUTH_TOKEN`, `UV_INDEX_X_PASSWORD`. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|_AUTH|API_?KEY|PASSPHRASE/;

/** Whether the value under this name is part of what runs, and not only told to it. */
export function decidesWhatRuns(name: string): boolean {
  const upper = name.toUpperCase();
  return EXACT.has(upper) || (!SECRET.test(upper) && STARTS.some((start) => upper.startsWith(start)));
}
