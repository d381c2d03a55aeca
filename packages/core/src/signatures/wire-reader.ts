/** Thrown for bytes that are not what the format says. Never leaves this folder. */
export class MalformedBytes extends Error {}

/** Reads the SSH wire format (RFC 4251): every length is checked, and nothing may follow the end. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MalformedBytes("it ends too early");
    const read = this.#bytes.slice(this.#at, end);
    this.#at = end;
    return read;
  }

  byte(): number {
    return this.bytes(1)[0] as number;
  }

  uint32(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.bytes(4);
    return a * 0x1_00_00_00 + b * 0x1_00_00 + c * 0x1_00 + d;
  }

  string(): Uint8Array<ArrayBuffer> {
    return this.bytes(this.uint32());
  }

  text(): string {
    const bytes = this.string();
    // Names are printable ASCII, so that each has one spelling.
    if (bytes.some((byte) => byte < 0x20 || byte > 0x7e)) throw new MalformedBytes("a name is not ASCII");
    return String.fromCharCode(...bytes);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new MalformedBytes("something follows its end");
  }
}

/** The parts one after the other. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const encoder = new TextEncoder();

/** A string of the wire format. */
export function wireString(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === "string" ? encoder.encode(value) : value;
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return joinBytes(length, bytes);
}

/** @throws MalformedBytes for text that is not the one base64 spelling of its bytes. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new MalformedBytes("it is not base64");
  const binary = atob(text);
  // The unused bits of the last digit must be zero.
  if (btoa(binary) !== text) throw new MalformedBytes("it is not base64");
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
