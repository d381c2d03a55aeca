/** Where in a file something is. */
export type ValuePath = readonly (string | number)[];

export interface SettingsDiagnostic {
  readonly path: ValuePath;
  readonly message: string;
}

/** Takes values of a file for what they should be. What is not is a fault, and something harmless instead. */
export class WrittenValues {
  readonly #errors: SettingsDiagnostic[] = [];

  get errors(): readonly SettingsDiagnostic[] {
    return this.#errors;
  }

  error(path: ValuePath, message: string): void {
    this.#errors.push({ path, message });
  }

  /** With `keys`, no other key may be there. */
  record(value: unknown, path: ValuePath, keys?: readonly string[]): Readonly<Record<string, unknown>> {
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

  list(value: unknown, path: ValuePath): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.error(path, `${nameOf(path)} is a list.`);
    return [];
  }

  text(value: unknown, path: ValuePath): string {
    if (typeof value === "string" && value.trim() !== "" && !value.includes("\0")) return value;
    this.error(path, `${nameOf(path)} is a text.`);
    return "";
  }

  texts(value: unknown, path: ValuePath): readonly string[] {
    return this.list(value, path).map((one, index) => this.text(one, [...path, index]));
  }

  flag(value: unknown, path: ValuePath): boolean {
    if (typeof value !== "boolean") this.error(path, `${nameOf(path)} is true or false.`);
    return value === true;
  }

  count(value: unknown, path: ValuePath): number {
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
    this.error(path, `${nameOf(path)} is a whole number above 0.`);
    return 1;
  }

  oneOf<const Choice extends string>(
    value: unknown,
    path: ValuePath,
    choices: readonly [Choice, ...Choice[]],
  ): Choice {
    const found = choices.find((oneOf) => oneOf === value);
    if (found === undefined) this.error(path, `${nameOf(path)} is one of ${choices.join(", ")}.`);
    return found ?? choices[0];
  }
}

function nameOf(path: ValuePath): string {
  return path.length === 0 ? "The file" : `\`${path.join(".")}\``;
}
