import type { Choice, FieldValue, FormField } from "./form-field.ts";

/** The user's answer for a field: a value, nothing, or something invalid. */
export type FieldAnswer =
  | { readonly kind: "value"; readonly value: FieldValue }
  | { readonly kind: "empty" }
  | { readonly kind: "wrong"; readonly why: string };

const EMPTY: FieldAnswer = { kind: "empty" };
const YES: ReadonlySet<string> = new Set(["yes", "true", "y"]);
const NO: ReadonlySet<string> = new Set(["no", "false", "n"]);

/** Reads the answer to one field. An empty answer means the default; without a default the field is omitted if it is optional. */
export function fieldAnswer(field: FormField, answers: readonly string[]): FieldAnswer {
  const given = answers.filter((answer) => answer.trim() !== "");
  if (given.length === 0) return emptyAnswer(field);
  const { kind } = field;
  const first = given[0] ?? "";
  switch (kind.type) {
    case "yes-or-no":
      return yesOrNo(first);
    case "number":
      return numberAnswer(first, kind);
    case "one-of":
      return chosen(kind.choices, first) ?? wrong("choose one of the options");
    case "some-of":
      return someOf(kind, given);
    case "text":
      return within([...first].length, kind) ? value(first) : wrong("the text is too short or too long");
  }
}

function emptyAnswer(field: FormField): FieldAnswer {
  if (field.default !== undefined) return value(field.default);
  return field.isRequired ? wrong("an answer is required") : EMPTY;
}

function yesOrNo(text: string): FieldAnswer {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return value(true);
  return NO.has(word) ? value(false) : wrong("answer yes or no");
}

interface NumberBounds extends Bounds {
  readonly isWhole: boolean;
}

function numberAnswer(text: string, kind: NumberBounds): FieldAnswer {
  const isNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(text);
  const number = Number(text);
  if (!isNumber || !Number.isFinite(number)) return wrong("a number is required");
  if (kind.isWhole && !Number.isSafeInteger(number)) return wrong("a whole number is required");
  return within(number, kind) ? value(number) : wrong("the number is too small or too large");
}

interface Choices extends Bounds {
  readonly choices: readonly Choice[];
}

function someOf(kind: Choices, given: readonly string[]): FieldAnswer {
  const values: string[] = [];
  for (const text of given) {
    const choice = kind.choices.find(({ label, value }) => label === text || value === text);
    if (choice === undefined) return wrong("choose among the options");
    if (!values.includes(choice.value)) values.push(choice.value);
  }
  return within(values.length, kind) ? value(values) : wrong("too few or too many were chosen");
}

function chosen(choices: readonly Choice[], text: string): FieldAnswer | undefined {
  const choice = choices.find(({ label, value }) => label === text || value === text);
  return choice === undefined ? undefined : value(choice.value);
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function within(size: number, { least, most }: Bounds): boolean {
  return size >= least && size <= most;
}

function value(given: FieldValue): FieldAnswer {
  return { kind: "value", value: given };
}

function wrong(why: string): FieldAnswer {
  return { kind: "wrong", why };
}
