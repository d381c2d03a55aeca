/** Where in a file something is. */
export type Place = readonly (string | number)[];

export interface SettingsDiagnostic {
  readonly path: Place;
  readonly message: string;
}

/** Takes values of a file for what they should be. What is not is a fault, and something harmless instead. */
export class WrittenValues {
  readonly #errors: SettingsDiagnostic[] = [];

  get errors(): readonly SettingsDiagnostic[] {
    return this.#errors;
  }

  error(path: Place, message: string): void {
    this.#errors.push({ path, message });
  }

  /** With `keys`, no other key may be there. */
  record(value: unknown, path: Place, keys?: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.error(path, `${nameOf(path)} is written as \`{ … }\`.`);
      return {};
    }
    for (const key of Object.keys(value)) {
      if (keys !== undefined && !keys.includes(key)) {
        this.error(
          [...path, key],
          `Nobody knows ${JSON.stringify(key)} here. Write one of ${keys.join(", ")}.`,
        );
      }
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, path: Place): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.error(path, `${nameOf(path)} is a list.`);
    return [];
  }

  text(value: unknown, path: Place): string {
    if (typeof value === "string" && value.trim() !== "" && !value.includes("\0")) return value;
    this.error(path, `${nameOf(path)} is a text.`);
    return "";
  }

  texts(value: unknown, path: Place): readonly string[] {
    return this.list(value, path).map((one, index) => this.text(one, [...path, index]));
  }

  flag(value: unknown, path: Place): boolean {
    if (typeof value !== "boolean") this.error(path, `${nameOf(path)} is true or false.`);
    return value === true;
  }

  count(value: unknown, path: Place): number {
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
    this.error(path, `${nameOf(path)} is a whole number above 0.`);
    return 1;
  }

  word<const Word extends string>(value: unknown, path: Place, words: readonly [Word, ...Word[]]): Word {
    const found = words.find((word) => word === value);
    if (found === undefined) this.error(path, `${nameOf(path)} is one of ${words.join(", ")}.`);
    return found ?? words[0];
  }
}

function nameOf(path: Place): string {
  return path.length === 0 ? "The file" : `\`${path.join(".")}\``;
}
