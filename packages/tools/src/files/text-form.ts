import { ToolFailure } from "@toolkeep/core";
import { unlessThrown } from "@toolkeep/core/internal";

/** The encoding of a text file. */
export interface TextForm {
  /** `latin-1` where the bytes are not UTF-8 and nothing else is declared: a guess that loses no byte. */
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin-1";
  /** Whether the file begins with a byte order mark. */
  readonly mark: boolean;
}

/** The contents of a file: binary, or a text with its encoding. */
export type TextContent =
  | { readonly isBinary: true }
  | { readonly isBinary: false; readonly text: string; readonly form: TextForm };

const BINARY: TextContent = Object.freeze({ isBinary: true });

/** Distinguishes text from binary and detects the encoding. `encodeText` restores the exact bytes. */
export function readTextForm(bytes: Uint8Array): TextContent {
  const { encoding, markBytes } = markOf(bytes);
  const body = bytes.subarray(markBytes);
  const decoded = decode(body, encoding);
  if (decoded !== undefined) {
    // No text contains NUL, but UTF-16 does.
    if (decoded.includes("\0")) return BINARY;
    return { isBinary: false, text: decoded, form: { encoding, mark: markBytes > 0 } };
  }
  if (markBytes > 0 || !looksLikeText(body)) return BINARY;
  return { isBinary: false, text: narrowText(body), form: { encoding: "latin-1", mark: false } };
}

/** Encodes a text as the file was encoded. @throws ToolFailure for characters that a `latin-1` file cannot contain. */
export function encodeText(text: string, { encoding, mark }: TextForm): Uint8Array {
  const marked = mark ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return new TextEncoder().encode(marked);
  if (encoding !== "latin-1") return wideBytes(marked, encoding === "utf-16le");
  if (BEYOND_LATIN.test(marked))
    throw new ToolFailure(
      "tool_failed",
      "The file is not in UTF-8 and its encoding lacks some of these characters.",
      { hint: "Use Latin-1 characters only, or write the whole file again in UTF-8." },
    );
  return Uint8Array.from(marked, (character) => character.charCodeAt(0));
}

const BEYOND_LATIN = /[^\0-\xff]/;

type Marked = Exclude<TextForm["encoding"], "latin-1">;

/** The encoding that a byte order mark declares, and the length of the mark. */
export function markOf([first, second, third]: Uint8Array): {
  readonly encoding: Marked;
  readonly markBytes: number;
} {
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: "utf-8", markBytes: 3 };
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", markBytes: 2 };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", markBytes: 2 };
  return { encoding: "utf-8", markBytes: 0 };
}

/** Returns `undefined` for bytes that are invalid in the encoding. */
function decode(bytes: Uint8Array, encoding: Marked): string | undefined {
  return unlessThrown(() => new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Decodes a part of a text for display, in any encoding. */
export function shownText(bytes: Uint8Array): string {
  return decode(bytes, "utf-8") ?? narrowText(bytes);
}

const MOST_UNUSUAL = 0.3;

/** Bytes of an unknown encoding are text if they have no control characters and are mostly ASCII. */
function looksLikeText(bytes: Uint8Array): boolean {
  let unusual = 0;
  for (const byte of bytes) {
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) return false;
    if (byte >= 0x7f) unusual += 1;
  }
  return unusual <= bytes.length * MOST_UNUSUAL;
}

const AT_ONCE = 8_192;

/** One character for each byte. `TextDecoder("latin1")` is windows-1252 and would change some. */
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
