/** What a table lists, in one line or in several, with spaces between. */
export function listIn(lines: string | readonly string[]): readonly string[] {
  return [lines].flat().flatMap((line) => line.split(" "));
}

/** The same, to look words up in. */
export function wordsIn(lines: string | readonly string[]): ReadonlySet<string> {
  return new Set(listIn(lines));
}

/** The regular expression that a table holds as it is written in code: `/^a$/i`. */
export function expression(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** A row of nothing but such expressions. */
export function expressionsIn<Row extends Readonly<Record<string, string | undefined>>>(
  row: Row,
): { readonly [Name in keyof Row]: RegExp } {
  const read = Object.entries(row).map(([name, text = "//"]) => [name, expression(text)]);
  return Object.fromEntries(read);
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
