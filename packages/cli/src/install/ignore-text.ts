import { basename } from "node:path";
import { MOVED_FILE } from "./install-client.ts";

export interface IgnoreQuestion {
  /** The client's own file. */
  readonly file: string;
  /** The `.gitignore` of the project. */
  readonly rules: string;
  /** The `.gitignore` beside the moved servers, as it is. */
  readonly textBefore: string;
}

/**
 * What the `.gitignore` beside the moved servers has to say; `undefined` where it needs to say nothing more. Looks for
 * files and folders by their names alone: what a pattern ignores is not noticed.
 */
export function ignoreText({ file, rules, textBefore }: IgnoreQuestion): string | undefined {
  const own = basename(MOVED_FILE);
  if (!isIgnored(file, rules) || isIgnored(MOVED_FILE, rules) || isIgnored(own, textBefore)) return undefined;
  const gap = textBefore === "" || textBefore.endsWith("\n") ? "" : "\n";
  return `${textBefore}${gap}${own}\n`;
}

/** The last rule that names a path counts. */
function isIgnored(path: string, rules: string): boolean {
  const names = path.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
  let isOut = false;
  for (const line of rules.split(/\r?\n/)) {
    const rule = line.trimEnd();
    const isBack = rule.startsWith("!");
    const named = (isBack ? rule.slice(1) : rule).replace(/^(?:\*\*)?\//, "").replace(/\/$/, "");
    if (names.includes(named) || (named !== "" && named === basename(path))) isOut = !isBack;
  }
  return isOut;
}
