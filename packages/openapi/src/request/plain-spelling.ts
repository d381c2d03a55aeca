const UNRESERVED = /^[\w\-.~]$/;

/**
 * A path in the one spelling that rules are written in: what need not be escaped is not, other escapes have
 * capital letters.
 */
export function plainSpelling(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : written.toUpperCase();
  });
}

/** Why a path that a document spells could be taken for another one; `undefined` for one that is plain. */
export function spellingError(path: string): string | undefined {
  if (/\/\//.test(path)) return "its path has an empty segment";
  if (/%(?:2f|5c)/i.test(path)) return "its path hides a slash behind an escape";
  if (path.includes(";"))
    return "its path has a parameter behind a semicolon, which servers read in different ways";
  return /%(?![0-9a-f]{2})/i.test(path) ? "its path has an escape that is none" : undefined;
}
