/** As servers and proxies may read a path: decoded once or twice, backslashes as slashes. */
const READINGS = 2;
/** Overlong UTF-8 forms of a dot, a slash and a backslash, which some parsers accept. */
const OVERLONG: readonly (readonly [RegExp, string])[] = [
  [/\u00c0\u00ae/g, "."],
  [/\u00c0\u00af/g, "/"],
  [/\u00c1\u009c/g, "\\"],
];
const DOTS = /^\.{1,2}$/;

/**
 * Whether any reading of an encoded path leads upwards, or to the same path by another name: dots behind an encoded
 * slash or backslash, encoded dots, dots with a parameter behind a semicolon.
 */
export function leadsUpwards(path: string): boolean {
  let read = path;
  for (let reading = 0; ; reading += 1) {
    if (hasDots(read)) return true;
    const decoded = decodeBytes(read);
    if (reading === READINGS || decoded === read) return false;
    read = decoded;
  }
}

function hasDots(path: string): boolean {
  const plain = OVERLONG.reduce((text, [bytes, char]) => text.replaceAll(bytes, char), path);
  return plain.split(/[/\\]/).some((segment) => DOTS.test(namePart(segment)));
}

/** A segment without parameters and invisible characters. */
function namePart(segment: string): string {
  const [name = ""] = segment.split(";", 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return name.replaceAll(/[\u0000-\u0020\u007f-\u00a0]/g, "");
}

/** One character for each byte: only those below 128 matter here. */
function decodeBytes(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
