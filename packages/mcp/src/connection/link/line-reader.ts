const NEWLINE = 0x0a;

export interface LineReader {
  /** @throws RangeError for a line above the limit. */
  read(chunk: Buffer): void;
}

/** Splits a stream into lines, and never buffers more than one line of the limit. */
export function lineReader(mostBytes: number, take: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;

  function keep(part: Buffer): void {
    size += part.length;
    if (size > mostBytes) throw new RangeError(`A line has more than ${mostBytes} bytes.`);
    parts.push(part);
  }

  function finish(): string {
    const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line?.toString("utf8") ?? "";
  }

  return {
    read(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, end));
        from = end + 1;
        take(finish());
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
  };
}
