import { ToolkeepError } from "@toolkeep/core";
import { errorMessage } from "./error-message.ts";

/** What SQLite says of a database that it cannot read, as an embedder is told. Errors of ours stay as they are. */
export function unreadable(folder: string, cause: unknown): ToolkeepError {
  if (ToolkeepError.isInstance(cause)) return cause;
  return new ToolkeepError(
    "journal_broken",
    `The store in ${folder} cannot be read: ${errorMessage(cause)}.`,
    {
      cause,
    },
  );
}
