const LENGTH_BYTES = 4;

/** A value as JSON, after its length in bytes. */
export function frameOf(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value), "utf8");
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, LENGTH_BYTES);
  return frame;
}

/** Puts the frames of a connection together. */
export class FrameReader {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #size = 0;

  /** @param most The most bytes of one frame. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The values that are complete with this piece. @throws Error for a frame that is too large or not JSON. */
  push(piece: Buffer): readonly unknown[] {
    this.#pieces.push(piece);
    this.#size += piece.length;
    const values: unknown[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take())
      values.push(JSON.parse(frame.toString("utf8")));
    return values;
  }

  #take(): Buffer | undefined {
    if (this.#size < LENGTH_BYTES) return undefined;
    const length = this.#first(LENGTH_BYTES).readUInt32BE();
    if (length > this.#most) throw new Error("The frame is too large.");
    const end = LENGTH_BYTES + length;
    if (this.#size < end) return undefined;
    const all = this.#first(this.#size);
    this.#size -= end;
    this.#pieces = [all.subarray(end)];
    return all.subarray(LENGTH_BYTES, end);
  }

  /** Joins the pieces only as far as these bytes need it. */
  #first(bytes: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= bytes) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
