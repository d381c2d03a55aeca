/**
 * Environment variables that decide which code runs, which program is found, or where traffic and trust go. Their
 * values are part of the command, so the user who accepts a server must see them. `*` stands for any end or any start
 * of a name. Names are compared without case, as npm and Windows do.
 */
const NAMES: Readonly<Record<string, string>> = {
  "the loader": "LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES LIBPATH SHLIB_PATH _RLD_*",
  "what is found and started":
    "PATH PATHEXT COMSPEC SHELL EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK TERMINFO TAR_OPTIONS CVS_RSH SVN_SSH HGEDITOR FCEDIT CHROME_PATH GOCACHEPROG OMP_TOOL_LIBRARIES FZF_DEFAULT_*",
  // Many programs have such variables under their own prefix.
  "what any program starts":
    "*_EDITOR *_PAGER *_BROWSER *_ASKPASS *_SHELL *_COMMAND *_CMD *HELPER APIKEYHELPER *_WRAPPER *_LAUNCHER *_PREFIX *_RSH *_EXECUTABLE *_EXECUTABLE_PATH *_EXEC_PATH *_BIN *_BINARY *_BINARY_PATH *_PLUGIN_PATH *_MODULE_PATH *_PRELOAD",
  editors: "VIMINIT EXINIT GVIMINIT MYVIMRC EMACSLOADPATH LESSKEY*",
  shells:
    "BASH_ENV ENV SHELLOPTS BASHOPTS BASH_FUNC_* PS4 PROMPT_COMMAND IFS CDPATH ZDOTDIR FPATH PSMODULEPATH",
  "where settings are":
    "HOME USERPROFILE APPDATA LOCALAPPDATA XDG_* CURL_HOME WGETRC DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_PROFILE GNUPGHOME TOOLKEEP_* *_CONFIG_FILE *_CONFIG_PATH *_CONFIG_DIR *_ENV_FILE HGRCPATH PGSERVICEFILE PSQLRC ODBCINI KRB5_CONFIG DOTENV_* IPYTHONDIR JUPYTER_* MPLBACKEND ANSIBLE_* TF_CLI_* HELM_* CLOUDSDK_* NVM_DIR VOLTA_HOME PYENV_ROOT MISE_* ASDF_* DIRENV_* CODEX_HOME GEMINI_CLI_*",
  node: "NODE_* NPM_CONFIG_* YARN_* PNPM_* COREPACK_* BUN_* DENO_* TS_NODE_* TSX_* BABEL_* ELECTRON_*",
  python: "PYTHON* PIP_* UV_* PIPX_* POETRY_* PDM_* CONDA_* VIRTUAL_ENV",
  ruby: "RUBYOPT RUBYLIB RUBYSHELL GEM_PATH GEM_HOME BUNDLE_* IRBRC",
  perl: "PERL5OPT PERL5LIB PERL5DB PERLLIB PERL_*",
  java: "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS JAVA_HOME CLASSPATH MAVEN_* GRADLE_* JBANG_* JVM_OPTS *_OPTS M2_HOME",
  c: "*FLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH COMPILER_PATH LIBRARY_PATH PKG_CONFIG_* CMAKE_*",
  desktops: "GTK_MODULES GTK_PATH GIO_EXTRA_MODULES QT_* VK_* LIBGL_*",
  dotnet: "DOTNET_* COR_* CORECLR_* MSBUILD* NUGET_*",
  go: "GOFLAGS GOPATH GOROOT GOBIN GOENV GOTOOLCHAIN GOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE CC CXX AR LD",
  rust: "RUSTC RUSTC_* RUSTFLAGS RUSTDOC RUSTUP_* CARGO_*",
  others:
    "LUA_* TCLLIBPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE* R_ENVIRON* R_LIBS* JULIA_* ERL_* ELIXIR_ERL_OPTIONS GUILE_* MAKEFLAGS MAKEFILES GIT_*",
  "where traffic and trust go":
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE *_CA_BUNDLE OPENSSL_* HOSTALIASES RES_OPTIONS",
};

const PATTERNS = Object.values(NAMES).flatMap((names) => names.split(" "));
const EXACT: ReadonlySet<string> = new Set(PATTERNS.filter((name) => !name.includes("*")));
const STARTS = PATTERNS.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
const ENDS = PATTERNS.filter((name) => name.startsWith("*")).map((name) => name.slice(1));
/** Secrets among the names that match a pattern: `NODE_AUTH_TOKEN`, `UV_INDEX_X_PASSWORD`. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|_AUTH|API_?KEY|PASSPHRASE/;

/** Whether the value of this variable decides what runs. */
export function decidesWhatRuns(name: string): boolean {
  const upper = name.toUpperCase();
  if (EXACT.has(upper)) return true;
  const isListed = STARTS.some((start) => upper.startsWith(start)) || ENDS.some((end) => upper.endsWith(end));
  return isListed && !SECRET.test(upper);
}
