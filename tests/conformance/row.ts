/** One numbered requirement; `note` says where it is met in another way than its words suggest. */
export interface Row {
  readonly id: `C${number}`;
  readonly group: string;
  readonly words: string;
  /** M must hold, S should hold, O is optional. */
  readonly strength: "M" | "S" | "O";
  readonly note?: string;
}

/** Gives every entry of a table its group. */
export function rowsOf(group: string, entries: readonly Omit<Row, "group">[]): readonly Row[] {
  return entries.map((entry) => Object.freeze({ ...entry, group }));
}
