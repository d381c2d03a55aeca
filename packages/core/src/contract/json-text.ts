/** Takes text piece by piece. Pieces that are at hand need not be put together first. */
export interface TextSink {
  add(piece: string): void;
}

/** An object that can write itself as JSON. */
export interface JsonSource {
  readonly value: unknown;
  /** Writes everything after the opening brace. */
  writeFields(sink: TextSink): void;
}

/** A value together with its JSON, so that it is written once and parsed only where it is read. */
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

  writeFields(sink: TextSink): void {
    sink.add(this.text.slice(1));
  }

  toJSON(): unknown {
    return this.value;
  }
}
