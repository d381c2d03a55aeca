import { harmlessText } from "@toolkeep/core/internal";

/** Why a part of a document cannot become a tool. Caught for each operation, and reported as a diagnostic. */
export class Unreadable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Unreadable";
  }
}

/** Text of the document for a message: one line, bounded, without hidden characters. */
export function quoted(text: string): string {
  return harmlessText(JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text));
}
