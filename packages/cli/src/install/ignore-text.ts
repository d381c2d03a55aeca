import { basename } from "node:path";
import { MOVED_FILE } from "../clients/install-client.ts";

export interface IgnoreQuestion {
  /** The client's own file. */
  readonly file: string;
  /** The `.gitignore` of the project. */
  readonly rules: string;
  /** The current `.gitignore` next to the moved servers. */
  readonly textBefore: string;
}

/** The new `.gitignore` next to moved servers; `undefined` if it needs no change. Recognizes no patterns. */
export function ignoreText({ file, rules, textBefore }: IgnoreQuestion): string | undefined {
  const own = basename(MOVED_FILE);
  if (!isIgnored(file, rules) || isIgnored(MOVED_FILE, rules) || isIgnored(own, textBefore)) return undefined;
  const gap = textBefore === "" || textBefore.endsWith("\n") ? "" : "\n";
  return `${textBefore}${gap}${own}\n`;
}

/** The last rule that names a path applies. */
function isIgnored(path: string, rules: string): boolean {
  const names = path.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
  let isIgnoredNow = false;
  for (const line of rules.split(/\r?\n/)) {
    const rule = line.trimEnd();
    const isNegated = rule.startsWith("!");
    const named = (isNegated ? rule.slice(1) : rule).replace(/^(?:\*\*)?\//, "").replace(/\/$/, "");
    if (names.includes(named) || (named !== "" && named === basename(path))) isIgnoredNow = !isNegated;
  }
  return isIgnoredNow;
}
