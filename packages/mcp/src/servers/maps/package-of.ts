import { isRunner } from "../is-runner.ts";
import type { ServerEntry, StdioServer } from "../server-entry.ts";
import {
  BUN_OPTIONS,
  DLX_OPTIONS,
  DOCKER_FLAGS,
  DOCKER_VALUED,
  IMAGE,
  NODE,
  NPM_NAME,
  NPX_OPTIONS,
  PYTHON,
  RUNNERS,
  UVX_OPTIONS,
  VERSION,
} from "./runner-options.ts";

/** What an entry certainly starts or reaches, with its arguments. */
export interface StartedPackage {
  /** As effect maps name it: `npm:NAME`, `pypi:NAME`, `image:NAME`, `program:NAME` or `host:NAME`. */
  readonly source: string;
  /** The version or tag that is asked for; missing for any. */
  readonly version?: string;
  /** The file of the package, if `node` is given one. */
  readonly file?: string;
  /** The remaining arguments. */
  readonly args: readonly string[];
  /** Names of environment variables that are set for it. */
  readonly variables: readonly string[];
}

/**
 * What an entry certainly starts or reaches. `undefined` for everything ambiguous: a name elsewhere in the arguments
 * proves nothing, an unknown option or variable may change what is started, and in a directory of its choice a runner
 * may find another package.
 */
export function packageOf(entry: ServerEntry): StartedPackage | undefined {
  if (entry.kind === "http") {
    const source = hostOf(entry.url);
    return source === undefined ? undefined : { source, args: [], variables: [] };
  }
  if (entry.cwd !== undefined || isExpanded(entry.command)) return undefined;
  const started = startedBy(entry);
  if (started === undefined) return undefined;
  const { variables = [] } = started;
  return { ...started, variables: [...Object.keys(entry.env), ...variables] };
}

type Started = Pick<StartedPackage, "source" | "version" | "file" | "args"> & {
  readonly variables?: readonly string[];
};

function startedBy({ command, args, isOfProject }: StdioServer): Started | undefined {
  const [first = "", ...rest] = args;
  if (command === "npx") return npmPackage(args, NPX_OPTIONS);
  if (command === "bunx") return npmPackage(args, BUN_OPTIONS);
  if (command === "bun" && first === "x") return npmPackage(rest, BUN_OPTIONS);
  if ((command === "pnpm" || command === "yarn") && first === "dlx") return npmPackage(rest, DLX_OPTIONS);
  if (command === "uvx") return pythonPackage(args);
  if (command === "uv" && first === "tool" && rest[0] === "run") return pythonPackage(rest.slice(1));
  if (command === "pipx" && first === "run") return pythonPackage(rest);
  if (PYTHON.test(command) && first === "-m") return moduleOf(rest);
  if (command === "docker" && first === "run") return imageOf(rest);
  // Whatever a project names may lie in the project, under a name of its choice.
  if (NODE.test(command) || command === process.execPath)
    return isOfProject ? undefined : installedPackage(args);
  if (!/^[\w-]+$/.test(command) || RUNNERS.has(command) || isRunner({ command, args })) return undefined;
  return { source: `program:${command}`, args };
}

/** `${NAME}` is not expanded yet. */
function isExpanded(text: string): boolean {
  return text.includes("${");
}

/** The first argument that is not an option, if every option before it is known to change nothing, and the rest. */
function firstArgument(
  args: readonly string[],
  options: ReadonlySet<string>,
): { readonly argument: string; readonly args: readonly string[] } | undefined {
  const at = args.findIndex((arg) => !options.has(arg));
  const argument = args[at];
  if (argument === undefined || argument.startsWith("-") || isExpanded(argument)) return undefined;
  return { argument, args: args.slice(at + 1) };
}

function npmPackage(args: readonly string[], options: ReadonlySet<string>): Started | undefined {
  const first = firstArgument(args, options);
  if (first === undefined) return undefined;
  const { argument, args: rest } = first;
  const at = argument.indexOf("@", 1);
  const name = at === -1 ? argument : argument.slice(0, at);
  const version = at === -1 ? undefined : argument.slice(at + 1);
  if (version !== undefined && !VERSION.test(version)) return undefined;
  const started = { source: `npm:${name}`, args: rest, ...(version === undefined ? {} : { version }) };
  return NPM_NAME.test(name) ? started : undefined;
}

function pythonPackage(args: readonly string[]): Started | undefined {
  const { argument = "", args: rest = [] } = firstArgument(args, UVX_OPTIONS) ?? {};
  const [, name, at, equal] = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:@(.+)|==(.+))?$/.exec(argument) ?? [];
  const version = at ?? equal;
  if (name === undefined || (version !== undefined && !VERSION.test(version))) return undefined;
  const source = `pypi:${name.toLowerCase().replaceAll(/[-_.]+/g, "-")}`;
  return { source, args: rest, ...(version === undefined ? {} : { version }) };
}

function moduleOf([name = "", ...args]: readonly string[]): Started | undefined {
  return /^[a-z0-9_]+$/.test(name) ? { source: `pypi:${name.replaceAll("_", "-")}`, args } : undefined;
}

/** A file of an installed package: by the last `node_modules` in its path. */
function installedPackage([file = "", ...args]: readonly string[]): Started | undefined {
  const parts = file.split("/");
  const isPlain =
    file.startsWith("/") && !isExpanded(file) && !parts.some((part) => part === ".." || part === ".");
  const at = parts.lastIndexOf("node_modules");
  if (!isPlain || at === -1) return undefined;
  const [scope = "", ...rest] = parts.slice(at + 1);
  const [name, path] = scope.startsWith("@") ? [`${scope}/${rest[0]}`, rest.slice(1)] : [scope, rest];
  return NPM_NAME.test(name) ? { source: `npm:${name}`, file: path.join("/"), args } : undefined;
}

function imageOf(args: readonly string[]): Started | undefined {
  const variables: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (DOCKER_FLAGS.has(arg)) continue;
    const [, long, inline] = /^(--[a-z]+)=(.*)$/s.exec(arg) ?? [];
    if (!DOCKER_VALUED.has(long ?? arg)) break;
    if (inline === undefined) at += 1;
    // `NAME` or `NAME=value`.
    if (/^(?:-e|--env)$/.test(long ?? arg)) variables.push((inline ?? args[at] ?? "").replace(/=.*$/s, ""));
  }
  const [, name] = IMAGE.exec(args[at] ?? "") ?? [];
  return name === undefined ? undefined : { source: `image:${name}`, args: args.slice(at + 1), variables };
}

function hostOf(address: string): string | undefined {
  if (isExpanded(address) || !URL.canParse(address)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(address);
  return protocol === "https:" && port === "" && username === "" && password === ""
    ? `host:${hostname}`
    : undefined;
}
