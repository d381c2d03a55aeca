import { latin1 } from "./content-kind.ts";

/** Where a page declares its encoding. */
const META = /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i;

/**
 * Decodes text. Uses the first of these that is valid for all bytes: byte order mark, HTTP header, declaration in the
 * page, UTF-8. A declared Latin-1, which is the default of many servers, is overridden by valid UTF-8.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const beginning = latin1(bytes.subarray(0, 2_048));
  const own = (META.exec(beginning) ?? XML.exec(beginning))?.[1];
  // The declaration itself was readable as ASCII, so UTF-16 cannot be right.
  const isWide = own?.toLowerCase().startsWith("utf-16") === true;
  const said = [markIn(bytes), charset, isWide ? "utf-8" : own].flatMap(encodingOf);
  if (said[0] === "windows-1252") said.unshift("utf-8");
  for (const encoding of [...said, "utf-8"]) {
    const text = decoded(bytes, encoding, true);
    if (text !== undefined) return text;
  }
  // Nothing is declared and it is not UTF-8: windows-1252 is the oldest default of the web.
  return decoded(bytes, said[0] ?? "windows-1252", false) ?? "";
}

function markIn([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The name that `TextDecoder` knows; `undefined` for an unknown encoding. */
function encodingOf(label: string | undefined): string[] {
  if (label === undefined) return [];
  try {
    return [new TextDecoder(label).encoding];
  } catch {
    return [];
  }
}

function decoded(bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}
