/** Whether a target matches a pattern. */
export type Matches = (target: string) => boolean;

const EVERYTHING: Matches = () => true;

/**
 * Compiles a pattern. `*` matches within a path segment, `**` across segments, `?` one character,
 * `{a,b}` alternatives. A pattern without a slash that ends in `*` matches any text with that
 * prefix, so that `git status *` reads as one expects. Every pattern is anchored at both ends.
 */
export function compileGlob(pattern: string): Matches {
  if (pattern === "**") return EVERYTHING;
  if (!/[*?{]/.test(pattern)) return (target) => target === pattern;
  const isPath = pattern.includes("/");
  if (!isPath && pattern === "*") return EVERYTHING;
  const expression = new RegExp(`^(?:${translate(pattern, isPath)})$`, "s");
  return (target) => expression.test(target);
}

function translate(pattern: string, isPath: boolean): string {
  let out = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string;
    if (char === "*" && pattern[at + 1] === "*") {
      at += 1;
      // `a/**/b` also matches `a/b`.
      if (pattern[at + 1] === "/" && (at < 2 || pattern[at - 2] === "/")) {
        at += 1;
        out += "(?:.*/)?";
      } else out += ".*";
    } else if (char === "*") out += isPath ? "[^/]*" : ".*";
    else if (char === "?") out += isPath ? "[^/]" : ".";
    else if (char === "{" && pattern.indexOf("}", at) > at) {
      depth += 1;
      out += "(?:";
    } else if (char === "}" && depth > 0) {
      depth -= 1;
      out += ")";
    } else if (char === "," && depth > 0) out += "|";
    else out += RegExp.escape(char);
  }
  return out + ")".repeat(depth);
}
