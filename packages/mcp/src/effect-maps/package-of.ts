import type { ServerEntry } from "../servers/server-entry.ts";

/**
 * What an entry surely starts or reaches, as effect maps name it: `npm:NAME`, `pypi:NAME`, `image:NAME`,
 * `program:NAME` or `host:NAME`. `undefined` for everything that could be something else as well: a name elsewhere
 * in the arguments proves nothing, and an option or a variable that nobody knows may change what is started.
 */
export function packageOf(entry: ServerEntry): string | undefined {
  if (entry.kind === "http") return hostOf(entry.url);
  if (Object.keys(entry.env).some((name) => STEERING.test(name))) return undefined;
  const { command, args } = entry;
  if (isExpanded(command)) return undefined;
  const [first = "", ...rest] = args;
  if (command === "npx") return npmPackage(args, NPX_OPTIONS);
  if (command === "bunx") return npmPackage(args, BUN_OPTIONS);
  if (command === "bun" && first === "x") return npmPackage(rest, BUN_OPTIONS);
  if ((command === "pnpm" || command === "yarn") && first === "dlx") return npmPackage(rest, DLX_OPTIONS);
  if (command === "uvx") return pythonPackage(args);
  if (command === "uv" && first === "tool" && rest[0] === "run") return pythonPackage(rest.slice(1));
  if (command === "pipx" && first === "run") return pythonPackage(rest);
  if (PYTHON.test(command) && first === "-m") return moduleOf(rest[0]);
  if (command === "docker" && first === "run") return imageOf(rest);
  if (command === "node" || command.endsWith("/node")) return installedPackage(args);
  return /^[\w-]+$/.test(command) && !RUNNERS.has(command) ? `program:${command}` : undefined;
}

/** Variables that decide which program a command starts, or what is loaded into it. */
const STEERING =
  /^(?:PATH|PATHEXT|LD_.*|DYLD_.*|NODE_.*|npm_config_.*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|UV_.*|PIP_.*|PIPX_.*|PYTHON.*|DOCKER_.*|BASH_ENV|ENV)$/i;
const PYTHON = /^python(?:3(?:\.\d{1,2})?)?$/;
const NPX_OPTIONS: ReadonlySet<string> = new Set([
  "-y",
  "--yes",
  "-q",
  "--quiet",
  "--prefer-offline",
  "--prefer-online",
  "--offline",
]);
const BUN_OPTIONS: ReadonlySet<string> = new Set(["-y", "--bun", "--silent"]);
const DLX_OPTIONS: ReadonlySet<string> = new Set(["-q", "--quiet", "-s", "--silent"]);
const UVX_OPTIONS: ReadonlySet<string> = new Set([
  "-q",
  "--quiet",
  "--refresh",
  "--no-cache",
  "--offline",
  "--native-tls",
]);
/** Commands whose arguments say what runs. */
const RUNNERS: ReadonlySet<string> = new Set([
  "npm",
  "npx",
  "bun",
  "bunx",
  "pnpm",
  "yarn",
  "uv",
  "uvx",
  "pipx",
  "docker",
  "podman",
  "node",
  "deno",
  "tsx",
  "sh",
  "bash",
  "zsh",
  "env",
  "sudo",
  "cmd",
  "python",
  "python3",
]);

/** `${NAME}` is not known yet. */
function isExpanded(text: string): boolean {
  return text.includes("${");
}

/** The first word that is no option, if every option before it is known to change nothing. */
function firstWord(args: readonly string[], options: ReadonlySet<string>): string | undefined {
  const word = args.find((arg) => !options.has(arg));
  return word === undefined || word.startsWith("-") || isExpanded(word) ? undefined : word;
}

const NPM_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** Versions and tags alone: a version may also be an address, a folder or another package. */
const VERSION = /^[\w.^~+-]{1,64}$/;

function npmPackage(args: readonly string[], options: ReadonlySet<string>): string | undefined {
  const word = firstWord(args, options);
  if (word === undefined) return undefined;
  const at = word.indexOf("@", 1);
  const name = at === -1 ? word : word.slice(0, at);
  if (at !== -1 && !VERSION.test(word.slice(at + 1))) return undefined;
  return NPM_NAME.test(name) ? `npm:${name}` : undefined;
}

function pythonPackage(args: readonly string[]): string | undefined {
  const word = firstWord(args, UVX_OPTIONS);
  const [, name, version] = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:@(.+)|==(.+))?$/.exec(word ?? "") ?? [];
  if (name === undefined || (version !== undefined && !VERSION.test(version))) return undefined;
  return `pypi:${name.toLowerCase().replaceAll(/[-_.]+/g, "-")}`;
}

function moduleOf(name: string | undefined): string | undefined {
  return name !== undefined && /^[a-z0-9_]+$/.test(name) ? `pypi:${name.replaceAll("_", "-")}` : undefined;
}

/** A file of a package that is installed: by the last folder of packages in its path. */
function installedPackage(args: readonly string[]): string | undefined {
  const [file = ""] = args;
  const isPlain =
    file.startsWith("/") &&
    !isExpanded(file) &&
    !file.split("/").some((part) => part === ".." || part === ".");
  if (!isPlain) return undefined;
  const [scope = "", name = "", ...path] = file
    .slice(file.lastIndexOf("/node_modules/") + "/node_modules/".length)
    .split("/");
  if (!file.includes("/node_modules/")) return undefined;
  const isScoped = scope.startsWith("@");
  const found = isScoped ? `${scope}/${name}` : scope;
  const isWithin = isScoped ? path.length > 0 : name !== "";
  return isWithin && NPM_NAME.test(found) ? `npm:${found}` : undefined;
}

const DOCKER_FLAGS: ReadonlySet<string> = new Set([
  "-i",
  "--interactive",
  "--rm",
  "-t",
  "--tty",
  "-it",
  "-ti",
  "--init",
  "--read-only",
]);
const DOCKER_VALUED: ReadonlySet<string> = new Set([
  "-e",
  "--env",
  "-v",
  "--volume",
  "--mount",
  "--name",
  "--network",
  "--pull",
  "--platform",
  "-l",
  "--label",
]);

function imageOf(args: readonly string[]): string | undefined {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (DOCKER_VALUED.has(arg)) at += 1;
    else if (!DOCKER_FLAGS.has(arg) && !/^--(?:env|volume|mount|name|network|pull|platform|label)=/.test(arg))
      break;
  }
  const [, name] =
    /^(?:docker\.io\/)?((?:[a-z0-9.-]+\/)*[a-z0-9._-]+)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/.exec(
      args[at] ?? "",
    ) ?? [];
  return name === undefined ? undefined : `image:${name}`;
}

function hostOf(address: string): string | undefined {
  if (isExpanded(address) || !URL.canParse(address)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(address);
  return protocol === "https:" && port === "" && username === "" && password === ""
    ? `host:${hostname}`
    : undefined;
}
