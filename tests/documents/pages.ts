import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** A fenced block of a page, with its line and the comment above it, as in `<!-- file: store.ts -->`. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly comment: string;
}

/** Everything that users read, and its text. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "integrations/*.md"], { cwd: ROOT })
    .toSorted()
    .map((page) => [page, readFileSync(join(ROOT, page), "utf8")]),
);

const FENCED = /(?:<!-- ([^\n]*?) -->\n\s*)?^( *)(`{3,})(\w*)[^\n]*\n([\s\S]*?)^\2\3$/gm;

/** The blocks of all pages that are written in one of these languages. */
export function blocksIn(...languages: readonly string[]): readonly Block[] {
  return [...PAGES].flatMap(([page, content]) =>
    Array.from(content.matchAll(FENCED), ({ index, 0: whole, 1: comment = "", 3: fence = "", ...rest }) => ({
      ...{ page, comment, language: rest[4] ?? "", text: rest[5] ?? "" },
      line: content.slice(0, index + whole.indexOf(fence)).split("\n").length,
    })).filter(({ language }) => languages.includes(language)),
  );
}
