import { readFileSync } from "node:fs";

/** The files of a project as they are after the edits of a script, for clients whose edits name whole lines. */
export interface Texts {
  /** The line that an edit changes, before and after it, if all edits before it were made. */
  edited(path: string, before: string, after: string): readonly [before: string, after: string];
}

export function openTexts(): Texts {
  const known = new Map<string, string>();
  return {
    edited(path, before, after) {
      const text = known.get(path) ?? readFileSync(path, "utf8");
      known.set(path, text.replace(before, after));
      const line = text.split("\n").find((one) => one.includes(before));
      if (line === undefined) throw new Error(`${path} has no ${before}.`);
      return [line, line.replace(before, after)];
    },
  };
}
