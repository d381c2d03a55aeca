import { ToolFailure } from "@toolkeep/core";
import { plainSpelling, spellingError } from "../document/plain-spelling.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import { leadsUpwards } from "../document/upward-path.ts";

/** A path with parameters: literal texts and parameter names, in order. */
export interface PathTemplate {
  readonly pieces: readonly (string | { readonly parameter: string })[];
}

/** The characters that a path may contain unescaped. Everything else would be changed in transit, or end the path. */
const PLAIN = /^[\w\-.~!$&'()*+,;=:@%/]*$/;

/**
 * A path of the document, in the one spelling that rules are written in.
 * @throws Unreadable for a path with unsafe parameter positions, or one that could be read as another path.
 */
export function readTemplate(path: string): PathTemplate {
  if (!path.startsWith("/")) throw new Unreadable("its path does not begin with a slash");
  const pieces = path.split(/(\{[^{}]*\})/).map((piece) => {
    if (/^\{[^{}]*\}$/.test(piece)) return { parameter: piece.slice(1, -1) };
    if (PLAIN.test(piece)) return plainSpelling(piece).replaceAll("*", "%2A");
    throw new Unreadable(`its path contains ${quoted(piece)}, which is not allowed in a path`);
  });
  const spelled = pieces.map((piece) => (typeof piece === "string" ? piece : "x")).join("");
  if (leadsUpwards(spelled)) throw new Unreadable("its path leads upwards");
  const error = spellingError(spelled);
  if (error !== undefined) throw new Unreadable(error);
  return { pieces: pieces.filter((piece) => piece !== "") };
}

export function parametersIn({ pieces }: PathTemplate): readonly string[] {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.parameter]));
}

/**
 * The path with values for its parameters. Each is encoded already.
 * @throws ToolFailure `invalid_arguments` for a value that is empty, or that would make the path lead elsewhere: to the
 * parent collection, or upwards.
 */
export function fillTemplate({ pieces }: PathTemplate, values: ReadonlyMap<string, string>): string {
  const filled = pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    const value = values.get(piece.parameter) ?? "";
    if (value === "") throw misplaced(piece.parameter, "is empty");
    return value;
  });
  const path = filled.join("");
  // Two adjacent values can form dots that neither has alone.
  if (leadsUpwards(path)) throw misplaced(parametersIn({ pieces }).join(", "), "would lead upwards");
  return path;
}

function misplaced(parameter: string, error: string): ToolFailure {
  return new ToolFailure(
    "invalid_arguments",
    `The argument ${quoted(parameter)} is part of a path and ${error}.`,
    {
      hint: "Pass the name or number of one item.",
    },
  );
}
