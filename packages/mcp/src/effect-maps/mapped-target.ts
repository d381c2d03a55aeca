import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption, remembered } from "@toolkeep/core/internal";

/** How an argument is read. */
export type Reading = "text" | "any" | "host" | "name" | "path" | "slug" | "word";

/** Steps into the arguments; `each` goes through a list. */
export type ArgumentPath = readonly (string | typeof each)[];

export const each = Symbol("each");

/** A placeholder for an argument in a target. */
export interface Placeholder {
  /** As written, for messages. */
  readonly source: string;
  readonly path: ArgumentPath;
  readonly reading: Reading;
  /** The default for a missing argument; `""` omits the effect. */
  readonly otherwise?: string;
  /** The argument that a relative path is resolved against. */
  readonly within?: ArgumentPath;
}

/** A target in parts: literal texts and placeholders. */
export type MappedTarget = readonly (string | Placeholder)[];

const LONGEST = 500;

/** Parses a target of an effect map, in linear time. @throws ToolkeepError `invalid_option` for an invalid target. */
export const readTarget = remembered((target): MappedTarget => Object.freeze(split(target)));

/** Parses the path of an argument, e.g. `files[].path`. @throws ToolkeepError `invalid_option`. */
export function readArgumentPath(source: string): ArgumentPath {
  const path: (string | typeof each)[] = [];
  for (const step of source.split(".")) {
    const isList = step.endsWith("[]");
    const name = isList ? step.slice(0, -2) : step;
    if (!NAME.test(name) || FORBIDDEN.has(name))
      throw error(source, `${JSON.stringify(step)} is not the name of an argument`);
    path.push(name);
    if (isList) path.push(each);
  }
  if (path.filter((step) => step === each).length > 1)
    throw error(source, "it goes through more than one list");
  return path;
}

const NAME = /^[A-Za-z_][\w-]{0,63}$/;
/** Names that have a meaning on every object. */
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const READINGS: ReadonlySet<string> = new Set(["any", "host", "name", "path", "slug", "word"]);

function split(target: string): MappedTarget {
  if (target === "" || target.length > LONGEST)
    throw error(target, `it must have 1 to ${LONGEST} characters`);
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  while (at < target.length) {
    const open = target.indexOf("{", at);
    const text = target.slice(at, open === -1 ? undefined : open);
    if (text.includes("}")) throw error(target, "a } has no { before it");
    if (text !== "") parts.push(text);
    if (open === -1) break;
    const close = target.indexOf("}", open);
    const inner = target.slice(open + 1, close === -1 ? undefined : close);
    if (close === -1 || inner.includes("{")) throw error(target, "a { is not closed");
    parts.push(placeholder(inner, target));
    at = close + 1;
  }
  const lists = parts.filter((part) => typeof part !== "string" && part.path.includes(each));
  if (lists.length > 1) throw error(target, "it goes through more than one list");
  return parts;
}

function placeholder(source: string, target: string): Placeholder {
  const [outer = "", within, ...more] = source.split(" in ");
  if (more.length > 0) throw error(target, "it has more than one `in`");
  const mark = outer.indexOf("?");
  const named = mark === -1 ? outer : outer.slice(0, mark);
  const colon = named.indexOf(":");
  const reading = colon === -1 ? "text" : named.slice(0, colon);
  if (colon !== -1 && !READINGS.has(reading)) throw error(target, `${JSON.stringify(reading)} is unknown`);
  const base = within === undefined ? undefined : readArgumentPath(within);
  if (base?.includes(each)) throw error(target, "the base of a path must not be a list");
  return Object.freeze({
    source,
    path: readArgumentPath(named.slice(colon + 1)),
    reading: reading as Reading,
    ...(mark === -1 ? {} : { otherwise: outer.slice(mark + 1) }),
    ...(base === undefined ? {} : { within: base }),
  });
}

function error(source: string, why: string): ToolkeepError {
  return invalidOption(`The target ${JSON.stringify(source)} of an effect map: ${why}.`);
}
