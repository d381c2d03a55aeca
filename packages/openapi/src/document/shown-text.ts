import { harmlessText } from "@toolkeep/core/internal";

const LONGEST_TEXT = 1_000;

/** Text of the document for a model or a user: bounded, with hidden characters made visible. */
export function shownText(text: string, longest = LONGEST_TEXT): string {
  const shown = harmlessText(text.replaceAll("\r\n", "\n")).trim();
  return shown.length > longest ? `${shown.slice(0, longest).trimEnd()}…` : shown;
}
