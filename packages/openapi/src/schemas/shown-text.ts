import { harmlessText } from "@toolkeep/core/internal";

const LONGEST_TEXT = 1_000;

/** Text of the document that a model or a person reads: nothing hidden in it, and not endless. */
export function shownText(text: string, longest = LONGEST_TEXT): string {
  const shown = harmlessText(text.replaceAll("\r\n", "\n")).trim();
  return shown.length > longest ? `${shown.slice(0, longest).trimEnd()}…` : shown;
}
