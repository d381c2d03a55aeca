import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { mapEnvironment } from "../effect-maps/map-environment.ts";
import { isRunner } from "../servers/is-runner.ts";
import { packageOf } from "../servers/maps/package-of.ts";
import type { ServerEntry, ServerSettings, StdioServer } from "../servers/server-entry.ts";

interface StartParts {
  readonly map: EffectMap | undefined;
  readonly settings: ServerSettings;
  /** The project, by its canonical path. */
  readonly owner: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * How a server is started. The environment of its map has priority over the entry's. A project's program starts in the
 * project, unless it is a runner or has a map: that starts like the user's own, in an empty directory, and its relative
 * arguments become absolute. A version manager may take such a program from the project that it is started in.
 */
export function startedEntry(entry: ServerEntry, parts: StartParts): ServerEntry {
  if (entry.kind === "http") return entry;
  const { map, settings, owner = "", environment } = parts;
  const started = { ...entry, env: { ...entry.env, ...mapEnvironment(map) } };
  if (!entry.isOfProject) return started;
  const project = owner === "" ? process.cwd() : owner;
  const isFound = isRunner(entry) || map !== undefined;
  const { PATH } = environment;
  // What lies in the project must not be taken for the program that the user accepted.
  const path = isFound && PATH !== undefined ? { PATH: pathOutside(PATH, project) } : {};
  const env = { ...path, ...started.env };
  if (isFound) return withAbsolutePaths({ ...started, env }, resolve(project, entry.cwd ?? "."));
  const isAtHome = entry.cwd === undefined && settings.sandbox === undefined && owner !== "";
  return { ...started, env, ...(isAtHome ? { cwd: owner } : {}) };
}

function withAbsolutePaths(entry: StdioServer, folder: string): StdioServer {
  const { cwd: _cwd, ...rest } = entry;
  const { command, args, env } = entry;
  // A package's own arguments may name files without `./`. Its name before them is no path, even if there is one.
  const own = packageOf(rest)?.args.length ?? 0;
  const absolute = (word: string, at: number) => {
    const isFile = at >= args.length - own && /^[^-/~]/.test(word) && existsSync(join(folder, word));
    return isFile ? join(folder, word) : absoluteWord(word, folder);
  };
  return {
    ...rest,
    isOfProject: false,
    command: command.includes("/") ? resolve(folder, command) : command,
    args: args.map(absolute),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, absoluteWord(value, folder)])),
  };
}

/** `.`, `./…` and `../…`, alone or as the value of an option. */
function absoluteWord(word: string, folder: string): string {
  const [, option = "", path = word] = /^(--?[\w-]+=)(.*)$/s.exec(word) ?? [];
  return /^\.{1,2}(?:\/|$)/.test(path) ? `${option}${resolve(folder, path)}` : word;
}

/** A search path without the directories of a project, and without those that depend on where a program starts. */
function pathOutside(path: string, project: string): string {
  const isOutside = (folder: string) =>
    isAbsolute(folder) && (project === "/" || /^\.\.(?:\/|$)/.test(relative(project, folder)));
  return path.split(delimiter).filter(isOutside).join(delimiter);
}
