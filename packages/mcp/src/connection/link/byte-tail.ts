/** The end of a stream of any length. */
export interface ByteTail {
  add(chunk: Buffer): void;
  text(): string;
}

/** Keeps the last bytes, up to a limit. */
export function byteTail(mostBytes: number): ByteTail {
  let tail: Buffer = Buffer.alloc(0);
  return {
    add(chunk) {
      // Copied, so that the large buffer behind a small chunk is released.
      tail = Buffer.concat([tail, chunk.subarray(-mostBytes)]).subarray(-mostBytes);
    },
    text: () => tail.toString("utf8"),
  };
}
