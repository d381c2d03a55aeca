import type { FoundSecret } from "./named-values.ts";

/** A secret that can be recognised by its looks, or by the name that it stands under. `at` is the end of a known pair. */
export interface SecretShape {
  /** Whether it is worth a closer look. JSON may have escapes in it that a value does not have. */
  hint(text: string, at: number): boolean;
  find(text: string, at: number): FoundSecret | undefined;
  /** Known by its name only: a shape that is found in its value says more. */
  readonly isNamed?: true;
}
