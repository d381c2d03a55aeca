import type { Question, QuestionAnswers } from "@toolkeep/core";
import { fieldAnswer } from "./field-answer.ts";
import type { FieldValue, FormField } from "./form-field.ts";
import { serverText } from "./request-failure.ts";

export interface Form {
  /** Whose form it is. */
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
}

export type Ask = (questions: readonly Question[]) => Promise<QuestionAnswers>;

const MOST_HEADER = 40;
const MOST_ROUNDS = 2;

/**
 * Puts a form to the person, the fields that were answered wrongly once more. `undefined` if it still cannot be
 * filled in: leaving needed fields empty is how a person declines.
 */
export async function askForm(form: Form, ask: Ask): Promise<Record<string, FieldValue> | undefined> {
  const content: Record<string, FieldValue> = {};
  let open: readonly OpenField[] = form.fields.map((field) => ({ field }));
  for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round += 1) {
    const answers = await ask(open.map((one) => questionOf(form, one)));
    // Whoever gives no answer at all has declined; what a field is by default counts for those who answered.
    if (answers.length !== open.length) return undefined;
    const next: OpenField[] = [];
    for (const [at, { field }] of open.entries()) {
      const answer = fieldAnswer(field, answers[at] ?? []);
      if (answer.kind === "wrong") next.push({ field, why: answer.why });
      // A field may be called `__proto__`.
      else if (answer.kind === "value") Object.defineProperty(content, field.name, entry(answer.value));
    }
    open = next;
  }
  return open.length === 0 ? content : undefined;
}

function entry(value: FieldValue): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true };
}

interface OpenField {
  readonly field: FormField;
  /** Why the last answer could not be taken. */
  readonly why?: string;
}

function questionOf({ server, message }: Form, { field, why }: OpenField): Question {
  const lines = [
    `The MCP server "${server}" asks: ${serverText(message)}`,
    [serverText(field.title), serverText(field.description)].filter((part) => part !== "").join(": "),
    hintOf(field),
    why === undefined ? "" : `Once more, please: ${why}.`,
  ];
  return {
    question: lines.filter((line) => line !== "").join("\n"),
    header: serverText(field.title).slice(0, MOST_HEADER),
    ...optionsOf(field),
    field: { name: field.name, schema: field.schema, isRequired: field.isRequired },
  };
}

function hintOf(field: FormField): string {
  if (field.default === undefined) return field.isRequired ? "" : "May be left empty.";
  const { default: value } = field;
  return `Left empty: ${serverText(Array.isArray(value) ? value.join(", ") : `${value}`)}.`;
}

function optionsOf({ kind }: FormField): Pick<Question, "options" | "multiSelect"> {
  switch (kind.type) {
    case "yes-or-no":
      return { options: [{ label: "Yes" }, { label: "No" }] };
    case "one-of":
      return { options: kind.choices.map(({ label }) => ({ label })) };
    case "some-of":
      return { options: kind.choices.map(({ label }) => ({ label })), multiSelect: true };
    default:
      return {};
  }
}
