import type { ToolMode } from "@toolkeep/core/internal";

/** What the tools of one server do, as data. */
export interface EffectMap {
  /** The name that settings use, e.g. `filesystem`. */
  readonly name: string;
  /**
   * Where its server comes from: `npm:NAME`, `pypi:NAME`, `image:NAME` of a container, `program:NAME` on the search
   * path, `host:NAME` for one that is reached over HTTPS. Without a prefix it is `npm`. A container has its own files,
   * so a map with file effects must not name an image.
   */
  readonly packages: readonly string[];
  /** By the server's own names of its tools. A tool that is missing here is not mapped, and asks. */
  readonly tools: Readonly<Record<string, MappedTool>>;
  /** What reading a prompt does, by its name. A prompt that is missing here is a call of the server, and asks. */
  readonly prompts?: Readonly<Record<string, readonly MappedEffect[]>>;
  /** What reading a resource does, by the scheme of its address (`docs` for `docs://…`); the address is `{uri}`. */
  readonly resources?: Readonly<Record<string, readonly MappedEffect[]>>;
  /** How its program may be started and still be the one that is described here. */
  readonly start?: MappedStart;
  /** Environment variables that its program needs to behave as described here. They override the entry's. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The arguments and variables that do not change what the program does. Any other makes the map inapplicable. */
export interface MappedStart {
  /** The file of its npm package that is its program, for one that is started with `node`. */
  readonly file?: string;
  /** The allowed arguments: one as it is, `--name=` for an option and its value (joined or next), `*` for what is none. */
  readonly args?: readonly string[];
  /** Names of environment variables that may be set. */
  readonly variables?: readonly string[];
}

export interface MappedTool {
  readonly mode: ToolMode;
  /** At least one of them must not be implied. An empty list: the tool has no effect that can be named, and asks. */
  readonly effects: readonly MappedEffect[];
  /** Running it twice has the same result as running it once. */
  readonly idempotent?: boolean;
  /**
   * Checks for further arguments, if they are present: a `word` does not begin with a dash, so that no program treats it
   * as an option; a `literal` is a word without `$`, which some programs expand; a `name` is one segment of a path; a
   * `path` is absolute and has one meaning; an `inside` has no segment `..`, however it is escaped.
   */
  readonly checks?: Readonly<Record<string, ArgumentCheck>>;
  /**
   * Further arguments that do not change what the call does, with everything in them. A call with an argument that is
   * neither here nor in `effects` and `checks` is opaque: it is also `mcp.call`, and asks.
   */
  readonly arguments?: readonly string[];
}

export type ArgumentCheck = "word" | "literal" | "name" | "path" | "inside";

/**
 * One effect. In the target
 * - `{path}` stands for an argument, `{a.b}` for one within another, `{edits[].path}` for each of a list;
 * - `{path?.}` has a default for a missing argument; with nothing after the `?` the effect is then omitted;
 * - `{host:url}` stands for the host of a web address, `{name:id}` for one plain name, `{slug:id}` for one in lower
 *   case, `{word:id}` for a text that no program treats as an option, `{path:id}` for an absolute path;
 * - `{any:id?}` stands for `*` if the argument is present: it names something that the other arguments do not limit;
 * - `{files[] in root}` stands for a path that is relative to another argument.
 *
 * The target of a file (`fs.…`) must be an absolute path with one meaning. An argument that is not a string, or cannot
 * be read as required, makes the call fail, because its effects are unknown.
 */
export interface MappedEffect {
  readonly capability: string;
  readonly target: string;
  /** It follows from another effect of the tool: rules that deny it apply, and it needs no permission of its own. */
  readonly implied?: true;
  /**
   * The target is a tree (`{destination}/**`) with the entries of this directory (`{source}`), if it is one. Rules about
   * each of these entries apply.
   */
  readonly entriesOf?: string;
  /** The language and the argument of database statements, as in `postgres query`: the worst of them is the capability. */
  readonly stated?: string;
}
