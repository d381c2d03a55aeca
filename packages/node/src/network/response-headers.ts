/** Names and values in turns, as they came. */
export type RawHeaders = readonly string[];

/** Every value of a header, by its name in lower case. */
export function valuesOf(raw: RawHeaders, wanted: string): string[] {
  return pairsOf(raw)
    .filter(([name]) => name === wanted)
    .map(([, value]) => value);
}

/** They speak of the bytes on the wire, which are not those that are handed on. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(["content-encoding", "content-length", "transfer-encoding"]);

/** One text for each name, several values joined by commas. */
export function flatHeaders(raw: RawHeaders, isDecoded: boolean): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairsOf(raw)) {
    if (isDecoded && OF_THE_WIRE.has(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.freeze(Object.fromEntries(headers));
}

function pairsOf(raw: RawHeaders): (readonly [name: string, value: string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ""] as const] : [],
  );
}
