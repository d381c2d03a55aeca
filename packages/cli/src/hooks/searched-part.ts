const WILD = /[*?[{(!]/;
/** A choice that may be another root, or a way up. */
const LEADS_ELSEWHERE = /[{,(|]\s*(?:\/|~|\.\.)|(?:^|\/)\.\.(?:\/|$)/;

/**
 * The folder or file that everything lies in which a pattern can name; empty for where it is looked from.
 * `undefined` where the pattern may lead elsewhere.
 */
export function searchedPart(pattern: string): string | undefined {
  const names = pattern.split("/");
  const first = names.findIndex((name) => WILD.test(name));
  if (first === -1) return pattern;
  if (LEADS_ELSEWHERE.test(names.slice(first).join("/"))) return undefined;
  const part = names.slice(0, first).join("/");
  return part === "" && pattern.startsWith("/") ? "/" : part;
}
