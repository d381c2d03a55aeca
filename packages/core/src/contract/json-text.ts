/** A value together with its JSON, so that it is written once and parsed only where somebody looks. */
export class JsonText {
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

  toJSON(): unknown {
    return this.value;
  }
}
