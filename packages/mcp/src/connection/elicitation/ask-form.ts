import type { Question, QuestionAnswers } from "@toolkeep/core";
import { serverText } from "../requests/request-failure.ts";
import { fieldAnswer } from "./field-answer.ts";
import type { FieldValue, FormField } from "./form-field.ts";

export interface Form {
  /** The server that asks. */
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
}

export type Ask = (questions: readonly Question[]) => Promise<QuestionAnswers>;

const MOST_HEADER = 40;
const MOST_ROUNDS = 2;

/** Asks the user to fill in a form, once more for invalid fields. Required fields that stay empty mean `undefined`. */
export async function askForm(form: Form, ask: Ask): Promise<Record<string, FieldValue> | undefined> {
  const content: Record<string, FieldValue> = {};
  let open: readonly OpenField[] = form.fields.map((field) => ({ field }));
  for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round += 1) {
    const answers = await ask(open.map((one) => questionOf(form, one)));
    // No answer at all means declined; defaults apply only to a form that was answered.
    if (answers.length !== open.length) return undefined;
    const next: OpenField[] = [];
    for (const [at, { field }] of open.entries()) {
      const answer = fieldAnswer(field, answers[at] ?? []);
      if (answer.kind === "wrong") next.push({ field, why: answer.why });
      // A field may be named `__proto__`.
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
  /** Why the last answer was invalid. */
  readonly why?: string;
}

function questionOf({ server, message }: Form, { field, why }: OpenField): Question {
  const lines = [
    `The MCP server "${server}" asks: ${serverText(message)}`,
    [serverText(field.title), serverText(field.description)].filter((part) => part !== "").join(": "),
    hintOf(field),
    why === undefined ? "" : `Please answer again: ${why}.`,
  ];
  return {
    question: lines.filter((line) => line !== "").join("\n"),
    header: serverText(field.title).slice(0, MOST_HEADER),
    ...optionsOf(field),
    field: { name: field.name, schema: field.schema, isRequired: field.isRequired },
  };
}

function hintOf(field: FormField): string {
  if (field.default === undefined) return field.isRequired ? "" : "Optional.";
  const { default: value } = field;
  return `Default: ${serverText(Array.isArray(value) ? value.join(", ") : `${value}`)}.`;
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
