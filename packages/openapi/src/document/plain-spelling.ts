const UNRESERVED = /^[\w\-.~]$/;

/** A path in the one spelling that rules use: unnecessary escapes are decoded, other escapes have capital letters. */
export function plainSpelling(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : written.toUpperCase();
  });
}

/** Why a path could be read as another one; `undefined` for a plain path. */
export function spellingError(path: string): string | undefined {
  if (/\/\//.test(path)) return "its path has an empty segment";
  if (/%(?:2f|5c)/i.test(path)) return "its path hides a slash behind an escape";
  if (path.includes(";"))
    return "its path has a parameter behind a semicolon, which servers read in different ways";
  return /%(?![0-9a-f]{2})/i.test(path) ? "its path has an invalid escape" : undefined;
}
