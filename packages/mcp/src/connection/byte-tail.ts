/** The end of a stream of any length. */
export interface ByteTail {
  add(chunk: Buffer): void;
  text(): string;
}

/** Keeps so many bytes of the end. */
export function byteTail(mostBytes: number): ByteTail {
  let tail: Buffer = Buffer.alloc(0);
  return {
    add(chunk) {
      // Copied, so that the large buffer a small piece came in is let go.
      tail = Buffer.concat([tail, chunk.subarray(-mostBytes)]).subarray(-mostBytes);
    },
    text: () => tail.toString("utf8"),
  };
}
