/** What a table lists, in one line or in several, with spaces between. */
export function wordsIn(lines: string | readonly string[]): ReadonlySet<string> {
  return new Set([lines].flat().flatMap((line) => line.split(" ")));
}

/** The regular expression that a table holds as it is written in code: `/^a$/i`. */
export function expression(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** What a table says of each name. Names with the same row share it: `sh|bash`. */
export function rowsByName<Row, Value>(
  rows: Readonly<Record<string, Row>>,
  read: (row: Row) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([names, row]) => {
      const value = read(row);
      return names.split("|").map((name) => [name, value] as const);
    }),
  );
}
