import { type ToolContext, type ToolOutput, textContent, toolOutput } from "@toolkeep/core";
import { harmlessText, isSecretFile } from "@toolkeep/core/internal";
import type { Files, SearchMatch, SearchQuery } from "@toolkeep/core/ports";
import { isKeptPath } from "../kept/kept-path.ts";
import { collectTexts, type FoundFile } from "./collect-texts.ts";
import { keptFiles } from "./search-kept.ts";
import type { SearchedPath } from "./searched-path.ts";

/** What to show of the files that match. */
type ShownTexts = "content" | "files_with_matches" | "count";

export interface TextSearch {
  readonly searched: SearchedPath;
  readonly query: Omit<SearchQuery, "root">;
  readonly shows: ShownTexts;
  /** The limit of matching lines, or of files where no lines are shown. */
  readonly limit: number;
}

/** What is searched at a path: files, or an output that the session kept. */
export function filesAt(path: string | undefined, ctx: ToolContext): Pick<Files, "search"> {
  return path !== undefined && isKeptPath(path) ? keptFiles(ctx) : ctx.io.files;
}

/** Runs a search and returns the result: data for programs, text for the model. */
export async function searchTexts(files: Pick<Files, "search">, search: TextSearch): Promise<ToolOutput> {
  const { searched, query, shows, limit } = search;
  const { asks, counts, data, lines } = SHOWN[shows];
  const matches = files.search({ root: searched.root, ...query, ...asks });
  const found = await collectTexts(matches, { withSecrets: searched.isSecret, counts, limit });
  const notes = [
    ...(found.files.length === 0
      ? [NOTHING]
      : [lines(found.files.map((file) => ({ ...file, path: searched.shown(file.path) })))]),
    ...(found.isCut
      ? [`(Stopped at ${limit} ${counts}; there are more. Narrow the search to see others.)`]
      : []),
    ...(query.glob !== undefined && isSecretFile(query.glob) && !searched.isSecret ? [SECRETS] : []),
  ];
  return toolOutput({
    data: { ...data(found.files), truncated: found.isCut },
    content: [textContent(notes.join("\n\n"))],
  });
}

/** Independent of the contents: the text must not reveal whether an omitted file would have matched. */
const NOTHING =
  "No matches. Hidden, ignored and binary files and files that contain secrets are not searched.";
const SECRETS = "(Files that contain secrets were omitted. To search one, give it as `path`.)";

interface Shown {
  /** Whether the limit counts lines or files. */
  readonly counts: "lines" | "files";
  /** What the search itself need not return. */
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

const LONGEST_LINE = 500;

/** The path of each file and its lines: `12:` before a matching line, `13-` before a context line. */
function showLines(files: readonly FoundFile[]): string {
  return files.map(({ path, lines }) => `${path}\n${withGaps(lines)}`).join("\n\n");
}

/** Cuts long lines: generated files have lines of any length. */
export function cutLine(line: string): string {
  return harmlessText(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
}

/** Puts `--` where lines are omitted between groups. */
function withGaps(lines: readonly SearchMatch[]): string {
  const hasContext = lines.some(({ context }) => context);
  return lines
    .map(({ line, text, context }, index) => {
      const before = lines[index - 1];
      const isGap = hasContext && before !== undefined && line > before.line + 1;
      return `${isGap ? "--\n" : ""}${line}${context ? "-" : ":"}${cutLine(text)}`;
    })
    .join("\n");
}
