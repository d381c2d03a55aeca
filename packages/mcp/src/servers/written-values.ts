/** The path of a value in a file. */
export type ValuePath = readonly (string | number)[];

export interface SettingsDiagnostic {
  readonly path: ValuePath;
  readonly message: string;
}

/** Checks the values of a file. What is invalid becomes an error, and a harmless default is returned. */
export class WrittenValues {
  readonly #errors: SettingsDiagnostic[] = [];

  get errors(): readonly SettingsDiagnostic[] {
    return this.#errors;
  }

  error(path: ValuePath, message: string): void {
    this.#errors.push({ path, message });
  }

  /** With `keys`, other keys are errors. */
  record(value: unknown, path: ValuePath, keys?: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.error(path, `${nameOf(path)} must be an object.`);
      return {};
    }
    for (const key of Object.keys(value)) {
      if (keys !== undefined && !keys.includes(key)) {
        this.error([...path, key], `Unknown key ${JSON.stringify(key)}. Use one of ${keys.join(", ")}.`);
      }
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, path: ValuePath): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.error(path, `${nameOf(path)} must be a list.`);
    return [];
  }

  text(value: unknown, path: ValuePath): string {
    if (typeof value === "string" && value.trim() !== "" && !value.includes("\0")) return value;
    this.error(path, `${nameOf(path)} must be a string.`);
    return "";
  }

  texts(value: unknown, path: ValuePath): readonly string[] {
    return this.list(value, path).map((one, index) => this.text(one, [...path, index]));
  }

  flag(value: unknown, path: ValuePath): boolean {
    if (typeof value !== "boolean") this.error(path, `${nameOf(path)} must be true or false.`);
    return value === true;
  }

  count(value: unknown, path: ValuePath): number {
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
    this.error(path, `${nameOf(path)} must be a whole number above 0.`);
    return 1;
  }

  oneOf<const Choice extends string>(
    value: unknown,
    path: ValuePath,
    choices: readonly [Choice, ...Choice[]],
  ): Choice {
    const found = choices.find((oneOf) => oneOf === value);
    if (found === undefined) this.error(path, `${nameOf(path)} must be one of ${choices.join(", ")}.`);
    return found ?? choices[0];
  }
}

function nameOf(path: ValuePath): string {
  return path.length === 0 ? "The file" : `\`${path.join(".")}\``;
}
