/** One numbered requirement. */
export interface Row {
  readonly id: `C${number}`;
  readonly group: string;
  readonly words: string;
  /** M must hold, S should hold, O is optional. */
  readonly strength: "M" | "S" | "O";
  /** Says where the row is met in another way than its words suggest. */
  readonly note?: string;
  /** What the row still lacks: it stays planned although tests of its other parts pass. */
  readonly awaits?: string;
}

/** Gives every entry of a table its group. */
export function rowsOf(group: string, entries: readonly Omit<Row, "group">[]): readonly Row[] {
  return entries.map((entry) => Object.freeze({ ...entry, group }));
}
