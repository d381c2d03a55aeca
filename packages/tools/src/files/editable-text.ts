import { encodeText, markOf, readTextForm } from "./text-form.ts";

/** The text of a file as UTF-8 bytes. */
export interface EditableText {
  readonly body: Uint8Array;
  /**
   * Encodes a changed text the way the file was encoded.
   * @throws ToolFailure for characters that the encoding of the file lacks.
   */
  encode(body: Uint8Array): Uint8Array;
}

/**
 * Opens a file for a change that searches for, or adds, the given characters. Returns `undefined` for a binary file.
 * Decodes only where it must: ASCII bytes are the same in UTF-8 and in most older encodings.
 */
export function editableText(bytes: Uint8Array, characters: string): EditableText | undefined {
  const { encoding, markBytes } = markOf(bytes);
  if (encoding === "utf-8" && !NOT_PLAIN.test(characters))
    return bytes.subarray(0, LOOKED_AT).includes(0) ? undefined : inPlace(bytes, markBytes);
  const content = readTextForm(bytes);
  if (content.isBinary) return undefined;
  const { text, form } = content;
  if (form.encoding === "utf-8") return inPlace(bytes, markBytes);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return {
    body: new TextEncoder().encode(text),
    encode: (body) => encodeText(decoder.decode(body), form),
  };
}

const NOT_PLAIN = /[^\0-\x7f]/;
const LOOKED_AT = 65_536;

function inPlace(bytes: Uint8Array, markBytes: number): EditableText {
  return {
    body: bytes.subarray(markBytes),
    encode(body) {
      if (markBytes === 0) return body;
      const marked = new Uint8Array(markBytes + body.length);
      marked.set(bytes.subarray(0, markBytes));
      marked.set(body, markBytes);
      return marked;
    },
  };
}
