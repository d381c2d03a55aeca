/** The args of a line, which may have quotes but nothing that a shell expands. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, one: string | undefined, two: string | undefined) => one ?? two ?? "",
    ),
  );
}
