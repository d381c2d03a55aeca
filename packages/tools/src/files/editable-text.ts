import { encodeText, markOf, readTextForm } from "./text-form.ts";

/** The text of a file in UTF-8, to be changed byte by byte. */
export interface EditableText {
  readonly body: Uint8Array;
  /**
   * The bytes of the file with another text in it, written as the old one was.
   * @throws ToolFailure for characters that the file's encoding cannot hold.
   */
  encode(body: Uint8Array): Uint8Array;
}

/**
 * Opens a file for changes that bring in, or look for, these characters. `undefined` for what is no text. Bytes
 * are decoded only where they must be: plain characters are the same in UTF-8 and in most older encodings.
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
