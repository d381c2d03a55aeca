import type { ToolMode } from "@toolkeep/core/internal";

/** What the tools of one server do, as data. */
export interface EffectMap {
  /** What settings name it by, e.g. `filesystem`. */
  readonly name: string;
  /**
   * Where its server comes from: `npm:NAME`, `pypi:NAME`, `image:NAME` of a container, `program:NAME` on the search
   * path, `host:NAME` for one that is reached over HTTPS. Without a kind it is `npm`. A container has files of its
   * own, so a map that tells of files must name no image.
   */
  readonly packages: readonly string[];
  /** By the server's own names of its tools. A tool that is not here is not mapped, and asks. */
  readonly tools: Readonly<Record<string, MappedTool>>;
  /** By the names of its prompts, what reading one does. One that is not here is a call of the server, and asks. */
  readonly prompts?: Readonly<Record<string, readonly MappedEffect[]>>;
  /** By the scheme of an address (`docs` for `docs://…`), what reading a resource does; the address is `{uri}`. */
  readonly resources?: Readonly<Record<string, readonly MappedEffect[]>>;
  /** How its program may be started and still be the one that is described here. */
  readonly start?: MappedStart;
  /** What its program must find in its environment so that it does what is described here, whatever its entry says. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What may be said to a program without making another one of it. Whatever is not named here makes it unknown. */
export interface MappedStart {
  /** The file of its npm package that is its program, for one that is started with `node`. */
  readonly file?: string;
  /**
   * Which words may follow: a word as it is, `--name=` for an option with a value of its own or after a blank, `*` for
   * anything that is no option.
   */
  readonly words?: readonly string[];
  /** Names of environment values that may be set. */
  readonly variables?: readonly string[];
}

export interface MappedTool {
  readonly mode: ToolMode;
  /** One of them at least must not be implied. None at all: the tool does nothing that could be named, and asks. */
  readonly effects: readonly MappedEffect[];
  /** Running it twice is as good as once. */
  readonly idempotent?: boolean;
  /**
   * What further arguments must be, if they are given: a `word` does not begin with a dash, so that no program takes
   * it for an option; a `literal` is a word without `$`, which some programs replace; a `name` is one segment of a
   * path; a `path` is absolute and says where it leads.
   */
  readonly checks?: Readonly<Record<string, ArgumentCheck>>;
}

export type ArgumentCheck = "word" | "literal" | "name" | "path";

/**
 * One effect. In the target
 * - `{path}` stands for an argument, `{a.b}` for one within another, `{edits[].path}` for each of a list;
 * - `{path?.}` has what counts where the argument is missing; with nothing after the `?` the effect is then left out;
 * - `{host:url}` stands for the host of a web address, `{name:id}` for one plain name, `{slug:id}` for one in lower
 *   case, `{word:id}` for a text that no program takes for an option, `{path:id}` for an absolute path;
 * - `{files[] in root}` stands for a path that is relative to another argument.
 *
 * The target of a file (`fs.…`) must be an absolute path that says itself where it leads. An argument that is no text,
 * or cannot be read as what it should be, makes the call fail: nobody could tell what it would do.
 */
export interface MappedEffect {
  readonly capability: string;
  readonly target: string;
  /** It follows from another effect of the tool: what forbids it counts, and it needs no leave of its own. */
  readonly implied?: true;
  /**
   * The target is a tree (`{destination}/**`) with the entries of this folder (`{source}`), where it is one. What rules
   * say of each of these entries counts.
   */
  readonly entriesOf?: string;
}
