import { isUtf8 } from "node:buffer";

/** Decodes bytes to text and back without loss: a byte that is not UTF-8 becomes a lone low surrogate. */
export interface ExactDecoder {
  /** Keeps a character that the end of the chunk cuts for the next call. */
  push(chunk: Uint8Array): string;
  end(): string;
}

/** The byte 0x80 becomes U+DC80, the byte 0xff U+DCFF. */
const ESCAPE = 0xdc00;

const LONGEST_CHARACTER = 4;

export function exactDecoder(): ExactDecoder {
  let rest: Uint8Array = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      const end = wholeEnd(bytes);
      rest = bytes.subarray(end);
      return decode(bytes.subarray(0, end));
    },
    end() {
      const text = decode(Buffer.from(rest));
      rest = Buffer.alloc(0);
      return text;
    },
  };
}

/** Encodes the decoder's text to the same bytes; the text may be cut anywhere. */
export function exactEncoder(): { push(text: string): Uint8Array; end(): Uint8Array } {
  let high = "";
  return {
    push(text) {
      const whole = high + text;
      high = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
      return encodeExactly(whole.slice(0, whole.length - high.length));
    },
    end: () => encodeExactly(high),
  };
}

export function decodeExactly(bytes: Uint8Array): string {
  return decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

export function encodeExactly(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { index } of text.matchAll(/(?<![\ud800-\udbff])[\udc80-\udcff]/g)) {
    parts.push(Buffer.from(text.slice(at, index), "utf8"), Buffer.of(text.charCodeAt(index) - ESCAPE));
    at = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(at), "utf8")]);
}

function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      text += bytes.toString("utf8", from, at) + String.fromCharCode(ESCAPE + (bytes[at] ?? 0));
      from = at + 1;
    }
    at += Math.max(length, 1);
  }
  return text + bytes.toString("utf8", from);
}

/** How many bytes the character at this position has; 0 if there is none. */
function characterLength(bytes: Buffer, at: number): number {
  const length = lengthByLead(bytes[at] ?? 0);
  return length <= 1 || isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

function lengthByLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? LONGEST_CHARACTER : 0;
}

/** The end without a last character that may continue in the next chunk. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back < LONGEST_CHARACTER && back <= bytes.length; back += 1) {
    const at = bytes.length - back;
    const lead = bytes[at] ?? 0;
    if (lead >= 0xc0) return lengthByLead(lead) > back ? at : bytes.length;
    if (lead < 0x80) break;
  }
  return bytes.length;
}
