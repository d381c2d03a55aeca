import { output, type ToolOutput, text } from "@toolkeep/core";
import { isSecretFile } from "@toolkeep/core/internal";
import type { Files, SearchQuery } from "@toolkeep/core/ports";
import { collectTexts, type FoundFile } from "./collect-texts.ts";
import type { SearchedPath } from "./searched-path.ts";
import { cutLine, showLines } from "./show-texts.ts";

/** What is shown of the files in which something was found. */
type ShownTexts = "content" | "files_with_matches" | "count";

export interface TextSearch {
  readonly place: SearchedPath;
  readonly query: Omit<SearchQuery, "root">;
  readonly shows: ShownTexts;
  /** Most lines that match, or files where those are what is shown. */
  readonly limit: number;
}

/** Searches, and says what was found: to programs as data, to the model as text. */
export async function searchTexts(files: Files, search: TextSearch): Promise<ToolOutput> {
  const { place, query, shows, limit } = search;
  const { asks, counts, data, lines } = SHOWN[shows];
  const matches = files.search({ root: place.root, ...query, ...asks });
  const found = await collectTexts(matches, { withSecrets: place.isSecret, counts, limit });
  const notes = [
    ...(found.files.length === 0
      ? [NOTHING]
      : [lines(found.files.map((file) => ({ ...file, path: place.shown(file.path) })))]),
    ...(found.isCut
      ? [`(Stopped at ${limit} ${counts}; there are more. Narrow the search to see others.)`]
      : []),
    ...(query.glob !== undefined && isSecretFile(query.glob) && !place.isSecret ? [SECRETS] : []),
  ];
  return output({
    data: { ...data(found.files), truncated: found.isCut },
    content: [text(notes.join("\n\n"))],
  });
}

/** The same whatever is in the files: what was left out must not tell whether it would have matched. */
const NOTHING = "No matches. Files that are hidden, ignored, binary or hold secrets are not searched.";
const SECRETS = "(Files that hold secrets were left out. To search one, give it as `path`.)";

interface Shown {
  /** Whether the limit is one of lines or of files. */
  readonly counts: "lines" | "files";
  /** How the search itself can be spared what is not shown. */
  readonly asks: Partial<SearchQuery>;
  data(files: readonly FoundFile[]): Readonly<Record<string, unknown>>;
  lines(files: readonly FoundFile[]): string;
}

const SHOWN: Readonly<Record<ShownTexts, Shown>> = {
  content: {
    counts: "lines",
    asks: {},
    data: (files) => ({
      matches: files.flatMap((file) => file.lines.map((line) => ({ ...line, text: cutLine(line.text) }))),
    }),
    lines: showLines,
  },
  files_with_matches: {
    counts: "files",
    asks: { before: 0, after: 0, mostPerFile: 1 },
    data: (files) => ({ files: files.map(({ path }) => path) }),
    lines: (files) => files.map(({ path }) => path).join("\n"),
  },
  count: {
    counts: "files",
    asks: { before: 0, after: 0 },
    data: (files) => ({ counts: files.map(({ path, count }) => ({ path, count })) }),
    lines: (files) => files.map(({ path, count }) => `${path}:${count}`).join("\n"),
  },
};
