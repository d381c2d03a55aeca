/** Takes text piece by piece. Pieces that are at hand need not be put together first. */
export interface TextSink {
  add(piece: string): void;
}

/** A value that can write itself as JSON. */
export interface JsonSource {
  readonly value: unknown;
  write(sink: TextSink): void;
}

/** A value together with its JSON, so that it is written once and parsed only where somebody looks. */
export class JsonText implements JsonSource {
  readonly text: string;
  #value: { readonly parsed: unknown } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return new JsonText(JSON.stringify(value) ?? "null");
  }

  get value(): unknown {
    this.#value ??= { parsed: JSON.parse(this.text) };
    return this.#value.parsed;
  }

  write(sink: TextSink): void {
    sink.add(this.text);
  }

  toJSON(): unknown {
    return this.value;
  }
}
