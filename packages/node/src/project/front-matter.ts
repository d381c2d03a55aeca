/** A Markdown file in two parts. */
export interface FrontMatter {
  /** What is between the two lines of `---`. Its first line is the second of the file. */
  readonly head: string;
  readonly body: string;
}

/** Splits a Markdown file with a head between two lines of `---`; `undefined` if it has none. */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) return undefined;
  return { head: lines.slice(1, end).join("\n"), body: lines.slice(end + 1).join("\n") };
}
