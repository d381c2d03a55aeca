import { RE2JS } from "re2js";
import { splitPattern } from "./safe-pattern.ts";

/** What ajv needs of a regular expression. It keeps compiled ones by their text. */
interface Tester {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles a schema's pattern to a matcher whose time is linear in the text. @throws when it cannot be. */
function compile(pattern: string): Tester {
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

/** The `regExp` engine of ajv. `code` is what ajv would put into stand-alone code, which we do not make. */
export const linearRegExp = Object.assign((pattern: string, _flags: string) => compile(pattern), {
  code: "linearRegExp",
});
