/** Reads row lists such as `C1-C17,C19`; throws on anything else. */
export function readRowRanges(text: string): ReadonlySet<string> {
  return new Set(text.split(",").flatMap((part) => readRange(part.trim())));
}

function readRange(part: string): string[] {
  const match = /^C(\d+)(?:-C(\d+))?$/.exec(part);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? first);
  if (!(first <= last)) throw new Error(`"${part}" is no row and no range of rows such as C1-C17`);
  return Array.from({ length: last - first + 1 }, (_, index) => `C${first + index}`);
}
