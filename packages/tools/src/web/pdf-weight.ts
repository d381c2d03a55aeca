import { ToolFailure } from "@toolkeep/core";

const MOST_UNPACKED = 64_000_000;
const MOST_MS = 10_000;
/** Ways of packing that unpack to much in a way not seen here, or that hide another one, by long and short names. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\/Encrypt/, "it is encrypted"],
  [/\/(?:LZW|ASCII|A85|AHx|Crypt)/, "it is packed in a way that is no longer used"],
  [/\/Fl(?:ateDecode)?\s*\/Fl(?:ateDecode)?/, "it is packed twice"],
  [/\/(?:Filter|F)\s*(?:\[\s*)?\d+\s+\d+\s+R/, "how it is packed is said elsewhere in it"],
];

/**
 * Unpacks what is packed in a PDF and throws it away: the reader of PDFs would keep all of it in memory,
 * and two kilobytes can hold two gigabytes.
 * @throws ToolFailure `too_large` for one that unpacks to too much, `tool_failed` for one that cannot be judged.
 */
export async function checkPdfWeight(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  // One character for each byte, so that places in the text are places in the bytes.
  const text = new TextDecoder("latin1").decode(bytes);
  for (const reading of [text, plain(text)])
    for (const [pattern, reason] of REFUSED) if (pattern.test(reading)) throw unclear(reason);
  const until = performance.now() + MOST_MS;
  let left = MOST_UNPACKED;
  for (const start of streamsIn(text)) {
    signal.throwIfAborted();
    if (performance.now() > until) throw tooLarge("takes too long to unpack");
    // What a dictionary says of it is not asked: it may be hidden, and what is packed begins as such.
    if (!isPacked(bytes, start)) continue;
    const end = text.indexOf("endstream", start);
    left -= await unpackedSize(bytes.slice(start + 2, end < 0 ? undefined : end), left);
  }
}

/** As readers see it: names may be escaped, and comments stand anywhere. */
function plain(text: string): string {
  return text
    .replaceAll(/%[^\r\n]*/g, " ")
    .replaceAll(/#([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Where streams may begin: with the line after each that announces one. */
function* streamsIn(text: string): Generator<number> {
  const lineEnd = /\r\n|\n|\r/g;
  for (let word = text.indexOf("stream"); word >= 0; word = text.indexOf("stream", lineEnd.lastIndex)) {
    lineEnd.lastIndex = word;
    if (lineEnd.exec(text) === null) return;
    yield lineEnd.lastIndex;
  }
}

/** The first two bytes of what is packed, as readers of PDFs check them. */
function isPacked(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2);
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

async function unpackedSize(packed: Uint8Array<ArrayBuffer>, most: number): Promise<number> {
  const unpacking = new DecompressionStream("deflate-raw");
  const writer = unpacking.writable.getWriter();
  // What goes wrong is told to whoever reads.
  writer.write(packed).catch(ignore);
  writer.close().catch(ignore);
  let size = 0;
  try {
    for await (const piece of unpacking.readable) {
      size += piece.byteLength;
      if (size > most) throw tooLarge("unpacks to too much");
    }
  } catch (error) {
    // A checksum and the end of the line follow.
    if (!(error instanceof TypeError && /trailing/i.test(error.message))) throw asFailure(error);
  }
  return size;
}

function ignore(): void {}

function asFailure(error: unknown): ToolFailure {
  return ToolFailure.isInstance(error) ? error : unclear("it is damaged");
}

function tooLarge(reason: string): ToolFailure {
  return new ToolFailure("too_large", `The PDF ${reason}.`);
}

function unclear(reason: string): ToolFailure {
  return new ToolFailure("tool_failed", `The PDF cannot be read safely: ${reason}.`, {
    hint: "Look for the same text as a web page.",
  });
}
