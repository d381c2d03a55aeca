/** Replaces secrets in everything that is recorded, shown or sent to a model. `createRedactor` makes one. */
export interface Redactor {
  /** From now on, this value is a secret wherever it appears. Short values are ignored: they would match everywhere. */
  add(name: string, value: string): void;
  /** For plain text. */
  redact(text: string): string;
  /** For JSON text: the strings in it are redacted one by one, so that it stays JSON. */
  redactJson(text: string): string;
  /** Where the secrets are, in order, not overlapping. */
  find(text: string): readonly SecretSpan[];
}

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}
