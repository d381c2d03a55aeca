/** An argument can be escaped before it is escaped for the path, and decoded both in front of the server and by it. */
const ROUNDS = 3;
/** Wildcards of rules and control characters stay escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const KEPT = /[*?{}[\]\\\u0000-\u001f\u007f]/g;

/**
 * The other paths that servers and proxies may read from an encoded path: decoded up to three times, without what
 * follows a semicolon, with backslashes as slashes, without empty segments and spaces around names. In the spelling of
 * rules; the path itself is not included.
 */
export function otherReadings(path: string): readonly string[] {
  const readings = [plainest(path)];
  let read = path;
  for (let round = 0; round < ROUNDS; round += 1) {
    const decoded = decodeOnce(read);
    if (decoded === read) break;
    readings.push(decoded, plainest(decoded));
    read = decoded;
  }
  return [...new Set(readings.map(spelled))].filter((reading) => reading !== path);
}

function plainest(path: string): string {
  const [upToEnd = ""] = path.split(/[?#\0]/, 1);
  const segments = upToEnd
    .normalize("NFKC")
    .split(/[/\\]/)
    .map((segment) => segment.replace(/;.*$/s, "").trim());
  return `/${segments.filter((segment) => segment !== "").join("/")}`;
}

function decodeOnce(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = run.split("%").slice(1);
    return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
  });
}

function spelled(path: string): string {
  return path.replaceAll(
    KEPT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
