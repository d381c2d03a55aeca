import { type ToolContext, ToolFailure } from "@toolkeep/core";
import { linearPattern } from "@toolkeep/core/internal";
import type { Files, SearchMatch, SearchQuery } from "@toolkeep/core/ports";

const CHUNK_BYTES = 1_000_000;
/** An output may be one line. Its pieces are lines for the search, so that what is around a match is shown. */
const LONGEST_LINE = 400;

/** Searches an output that the session kept, line by line: it may be in no file. */
export function keptFiles({ results, abortSignal }: Pick<ToolContext, "results" | "abortSignal">) {
  return {
    async *search({ root, pattern, ignoreCase, multiline, before = 0, after = 0 }) {
      if (multiline === true)
        throw new ToolFailure("invalid_arguments", "An output that was cut is searched line by line.", {
          hint: "Leave `multiline` out.",
        });
      const matches = matcher(ignoreCase === true ? `(?i)${pattern}` : pattern);
      let earlier: SearchMatch[] = [];
      let shownAfter = 0;
      for await (const [line, text] of linesOf(results, root)) {
        abortSignal.throwIfAborted();
        const found = { path: root, line, text };
        if (matches(text)) {
          yield* earlier;
          yield found;
          [earlier, shownAfter] = [[], after];
        } else if (shownAfter > 0) {
          yield { ...found, context: true };
          shownAfter -= 1;
        } else if (before > 0) earlier = [...earlier, { ...found, context: true } as const].slice(-before);
      }
    },
  } satisfies Pick<Files, "search"> & { search(query: SearchQuery): AsyncIterable<SearchMatch> };
}

/** Takes linear time, as the search of files does. */
function matcher(pattern: string): (text: string) => boolean {
  try {
    const compiled = linearPattern(pattern);
    return (text) => compiled.test(text);
  } catch (error) {
    throw new ToolFailure("invalid_arguments", `The pattern is not understood: ${(error as Error).message}`);
  }
}

async function* linesOf(
  results: ToolContext["results"],
  path: string,
): AsyncGenerator<readonly [line: number, text: string]> {
  const decoder = new TextDecoder();
  let [rest, line] = ["", 1];
  for (let offset = 0; ; ) {
    const bytes = await results.read(path, { offset, length: CHUNK_BYTES });
    offset += bytes.length;
    const isLast = bytes.length < CHUNK_BYTES;
    const lines = (rest + decoder.decode(bytes, { stream: !isLast })).split("\n");
    rest = isLast ? "" : (lines.pop() ?? "");
    for (const text of lines) {
      for (const piece of piecesOf(text)) yield [line, piece];
      line += 1;
    }
    if (isLast) return;
    if (rest.length <= LONGEST_LINE) continue;
    for (const piece of piecesOf(rest)) yield [line, piece];
    rest = rest.slice(-LONGEST_LINE / 2);
  }
}

/** They overlap by half, so that a match of that length is within one of them. */
function* piecesOf(line: string): Generator<string> {
  const half = LONGEST_LINE / 2;
  for (let at = 0; at === 0 || at + half < line.length; at += half) yield line.slice(at, at + LONGEST_LINE);
}
