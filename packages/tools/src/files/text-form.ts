import { ToolFailure } from "@toolkeep/core";

/** How a text is written down, beside the text itself. */
export interface TextForm {
  /** `latin-1` where the bytes are no UTF-8 and nothing says what they are: a guess that loses nothing. */
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin-1";
  /** Whether it begins with a mark of its encoding, which is no part of the text. */
  readonly mark: boolean;
}

/** What a file holds: bytes for no reader, or a text. */
export type TextContent =
  | { readonly isBinary: true }
  | { readonly isBinary: false; readonly text: string; readonly form: TextForm };

const BINARY: TextContent = Object.freeze({ isBinary: true });

/** Tells a text from what is none, and how it is written. `encodeText` gives the very same bytes back. */
export function readTextForm(bytes: Uint8Array): TextContent {
  const { encoding, markBytes } = markOf(bytes);
  const body = bytes.subarray(markBytes);
  const decoded = decode(body, encoding);
  if (decoded !== undefined) {
    // No text has one in it; the bytes of wide characters do.
    if (decoded.includes("\0")) return BINARY;
    return { isBinary: false, text: decoded, form: { encoding, mark: markBytes > 0 } };
  }
  if (markBytes > 0 || !looksLikeText(body)) return BINARY;
  return { isBinary: false, text: narrowText(body), form: { encoding: "latin-1", mark: false } };
}

/**
 * The bytes of a text in the form that it was read in.
 * @throws ToolFailure for characters that a `latin-1` file cannot hold.
 */
export function encodeText(text: string, { encoding, mark }: TextForm): Uint8Array {
  const marked = mark ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(marked);
  if (encoding !== "latin-1") return wideBytes(marked, encoding === "utf-16le");
  if (BEYOND_LATIN.test(marked))
    throw new ToolFailure(
      "tool_failed",
      "The file is not in UTF-8, and cannot hold all of these characters.",
      { hint: "Use characters of Latin-1 alone, or write the whole file anew in UTF-8." },
    );
  return Uint8Array.from(marked, (character) => character.charCodeAt(0));
}

const BEYOND_LATIN = /[^\0-\xff]/;

type Marked = Exclude<TextForm["encoding"], "latin-1">;

/** What the first bytes of a file say of its encoding, and how many they are. */
export function markOf([first, second, third]: Uint8Array): {
  readonly encoding: Marked;
  readonly markBytes: number;
} {
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: "utf-8", markBytes: 3 };
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", markBytes: 2 };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", markBytes: 2 };
  return { encoding: "utf-8", markBytes: 0 };
}

/** `undefined` for bytes that the encoding does not allow. */
function decode(bytes: Uint8Array, encoding: Marked): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A part of a text, for people and models to look at. It need not be in UTF-8. */
export function shownText(bytes: Uint8Array): string {
  return decode(bytes, "utf-8") ?? narrowText(bytes);
}

const MOST_UNUSUAL = 0.3;

/** Bytes of an unknown encoding: no control characters, and most of them plain. */
function looksLikeText(bytes: Uint8Array): boolean {
  let unusual = 0;
  for (const byte of bytes) {
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) return false;
    if (byte >= 0x7f) unusual += 1;
  }
  return unusual <= bytes.length * MOST_UNUSUAL;
}

const AT_ONCE = 8_192;

/** One character for each byte. The decoder of that name would change some of them. */
function narrowText(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + AT_ONCE)));
  return parts.join("");
}

function wideBytes(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return bytes;
}
