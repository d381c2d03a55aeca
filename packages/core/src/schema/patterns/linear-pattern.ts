import { RE2JS } from "re2js";
import { splitPattern } from "./safe-pattern.ts";

/** A compiled pattern. Validators keep compiled ones by their text. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles a schema's pattern to a matcher whose time is linear in the text. @throws when it cannot be. */
export function linearPattern(pattern: string): LinearPattern {
  const split = splitPattern(pattern);
  if ("refused" in split)
    throw new Error(`The pattern ${JSON.stringify(pattern)} is refused: ${split.refused}.`);
  const main = engine(split.main);
  const lookaheads = split.lookaheads.map(({ pattern: ahead, wanted }) => ({
    engine: engine(ahead),
    wanted,
  }));
  return {
    toString: () => pattern,
    test: (text) => lookaheads.every((ahead) => ahead.engine.test(text) === ahead.wanted) && main.test(text),
  };
}

function engine(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}
