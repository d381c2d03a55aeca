export interface DelimitedOptions {
  /** The byte that ends a part. */
  readonly delimiter: number;
  /** Of a part that has more bytes than this there is the beginning. */
  readonly longest: number;
}

/** Takes chunks apart at a byte: for each chunk, the parts that it completed. */
export async function* delimited(
  chunks: AsyncIterable<Buffer>,
  { delimiter, longest }: DelimitedOptions,
): AsyncGenerator<readonly Buffer[]> {
  let kept: readonly Buffer[] = [];
  let keptBytes = 0;
  const joined = (more: Buffer) =>
    (kept.length === 0 ? more : Buffer.concat([...kept, more])).subarray(0, longest);
  for await (const chunk of chunks) {
    const parts: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end !== -1; end = chunk.indexOf(delimiter, start)) {
      parts.push(joined(chunk.subarray(start, end)));
      kept = [];
      keptBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length && keptBytes < longest) {
      kept = [...kept, chunk.subarray(start)];
      keptBytes += chunk.length - start;
    }
    yield parts;
  }
  if (keptBytes > 0) yield [joined(Buffer.alloc(0))];
}
