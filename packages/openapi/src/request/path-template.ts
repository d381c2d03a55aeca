import { ToolFailure } from "@toolkeep/core";
import { quoted, Unreadable } from "../document/unreadable.ts";
import { plainSpelling, spellingError } from "./plain-spelling.ts";
import { leadsUpwards } from "./upward-path.ts";

/** A path with places in it: texts and names of parameters, in turns. */
export interface PathTemplate {
  readonly pieces: readonly (string | { readonly parameter: string })[];
}

/** What a path may hold as it is. Everything else would be changed on its way, or end the path. */
const PLAIN = /^[\w\-.~!$&'()*+,;=:@%/]*$/;

/**
 * A path of the document, in the one spelling that rules are written in.
 * @throws Unreadable for a path that a parameter could not be put into safely, or that could be taken for another.
 */
export function readTemplate(path: string): PathTemplate {
  if (!path.startsWith("/")) throw new Unreadable("its path does not begin with a slash");
  const pieces = path.split(/(\{[^{}]*\})/).map((piece) => {
    if (/^\{[^{}]*\}$/.test(piece)) return { parameter: piece.slice(1, -1) };
    if (PLAIN.test(piece)) return plainSpelling(piece).replaceAll("*", "%2A");
    throw new Unreadable(`its path holds ${quoted(piece)}, which no path can hold`);
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
 * The path with values in the places of its parameters. Each is encoded already.
 * @throws ToolFailure `invalid_arguments` for a value that is empty, or that would make the path lead elsewhere:
 * to the collection above, or upwards.
 */
export function fillTemplate({ pieces }: PathTemplate, values: ReadonlyMap<string, string>): string {
  const filled = pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    const value = values.get(piece.parameter) ?? "";
    if (value === "") throw misplaced(piece.parameter, "is empty");
    return value;
  });
  const path = filled.join("");
  // Two values side by side can make dots that neither has alone.
  if (leadsUpwards(path)) throw misplaced(parametersIn({ pieces }).join(", "), "would lead upwards");
  return path;
}

function misplaced(parameter: string, error: string): ToolFailure {
  return new ToolFailure(
    "invalid_arguments",
    `The argument ${quoted(parameter)} is part of a path and ${error}.`,
    {
      hint: "Give the name or number of one thing.",
    },
  );
}
