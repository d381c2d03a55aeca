/** An object that can write itself as JSON. */
export interface JsonSource {
  readonly value: unknown;
  /** Its JSON after the opening brace. */
  readonly fields: string;
  /** About how many characters its JSON has. */
  readonly size: number;
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

  get fields(): string {
    return this.text.slice(1);
  }

  get size(): number {
    return this.text.length;
  }

  toJSON(): unknown {
    return this.value;
  }
}
