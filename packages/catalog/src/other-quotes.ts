/** Entries are texts within a text: with the other kind of quotes these need no backslashes. */
export function withOtherQuotes(text: string): string {
  return text.replaceAll(/["']/g, (quote) => (quote === '"' ? "'" : '"'));
}
