import { hasLeftRecords, type LeftRecord, leftRecords, oneAtATime } from "./change-journal.ts";
import { cleanUpAfter, undoChange } from "./undo-change.ts";

/**
 * Undoes the changes of several files that processes left half-made, before anything reads the files. One that cannot
 * be undone now, e.g. because its disk is missing, is tried again the next time.
 */
export async function undoLeftChanges(
  records: string,
  onNote: (note: string) => void = () => {},
): Promise<void> {
  if (!hasLeftRecords(records)) return;
  await oneAtATime(records, () => finishLeftChanges(records, onNote));
}

/** The same where it is known that no change is under way. */
export async function finishLeftChanges(
  records: string,
  onNote: (note: string) => void = () => {},
): Promise<void> {
  if (!hasLeftRecords(records)) return;
  for (const left of await leftRecords(records)) finish(left, onNote);
}

function finish({ record, isConfirmed, forget }: LeftRecord, onNote: (note: string) => void): void {
  try {
    if (isConfirmed) cleanUpAfter(record);
    else undoChange(record);
    forget();
  } catch (error) {
    const paths = record.files.map(({ path }) => path).join(", ");
    onNote(
      `A change was interrupted and could not be undone (${error instanceof Error ? error.message : error}): ${paths}`,
    );
  }
}
