import { envRead, type Grant, ToolFailure } from "@toolkeep/core";
import { MARKER_NAME } from "./process-tree.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LONGEST_VALUE = 64 * 1_024;
const MOST_NAMES = 128;

/** Names that make programs load, run or believe something else than what was judged. */
const STEERING: readonly RegExp[] = [
  new RegExp(`^${MARKER_NAME}$`),
  // The loader and the C library.
  /^(?:LD|DYLD|GLIBC|MALLOC|GCONV|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN)(?:_|$)/,
  // Shells: what they read, run and how they take words apart.
  /^(?:PATH|CDPATH|IFS|ENV|SHELL|HOME|SHELLOPTS|BASHOPTS|PS\d|PROMPT_COMMAND|GLOBIGNORE|ZDOTDIR|FPATH|POSIXLY_CORRECT)$/i,
  /^BASH_/,
  // Interpreters, virtual machines and builders.
  /^(?:NODE|NPM|PYTHON|PERL5|RUBY|JAVA|JDK|DOTNET|CORECLR|COMPLUS|PHP|LUA|DENO|BUN|ELECTRON|GEM|BUNDLE|CARGO|RUSTUP)_/i,
  /^(?:PYTHON|PERL5|RUBY)[A-Z]+$/,
  /^GO(?:FLAGS|PATH|ROOT|PROXY|ENV|BIN|TOOLCHAIN|PRIVATE|NOSUMDB|SUMDB|INSECURE)$/,
  /^(?:_JAVA_OPTIONS|RUSTFLAGS|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|CLASSPATH|CC|CXX|LUA_PATH|PHPRC)$/,
  // Programs that other programs start.
  /^(?:[A-Z]*PAGER|[A-Z_]*EDITOR|VISUAL|BROWSER|[A-Z_]*ASKPASS|LESS[A-Z]*|[A-Z_]*_COMMAND|[A-Z_]*_WRAPPER|DISPLAY|DBUS_[A-Z_]+|XDG_[A-Z_]+)$/,
  /^(?:SSH|DOCKER|KUBE|SUDO|SYSTEMD)(?:_|CONFIG$)/,
  // Where the network really leads.
  /_proxy$/i,
  /^(?:SSL|CURL|REQUESTS|AWS_CA|OPENSSL)_/,
];

/** Git runs much of what its variables say. */
const HARMLESS_GIT = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT)$/;

/**
 * What a tool adds to the environment of its command, name by name.
 * @throws ToolFailure `out_of_scope` for a name that is not declared, or that no tool may set.
 */
export function checkedEnvironment(
  given: Readonly<Record<string, string>>,
  grant: Grant,
): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > MOST_NAMES)
    throw new ToolFailure("too_large", `A command may be given ${MOST_NAMES} environment values at most.`);
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new ToolFailure("out_of_scope", `${JSON.stringify(name)} is no name of an environment value.`);
    if (isSteering(name))
      throw new ToolFailure(
        "out_of_scope",
        `${name} would change what the command runs, so no tool may set it.`,
      );
    if (typeof value !== "string" || value.includes("\0"))
      throw new ToolFailure("out_of_scope", `The environment value ${name} is not text.`);
    if (value.length > LONGEST_VALUE)
      throw new ToolFailure(
        "too_large",
        `The environment value ${name} is longer than ${LONGEST_VALUE} characters.`,
      );
    grant.check(envRead(name));
  }
  return Object.fromEntries(entries);
}

function isSteering(name: string): boolean {
  if (name.startsWith("GIT_")) return !HARMLESS_GIT.test(name);
  return STEERING.some((pattern) => pattern.test(name));
}
