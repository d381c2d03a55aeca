import type { JsonSchema } from "../../../contract/call/schema-type.ts";
import type { Question, QuestionField } from "../../../contract/people/question.ts";
import { harmlessText } from "../../../results/harmless-text.ts";

/** What a model or a server asks must not be able to pose as anything else on a screen. */
export function plainQuestion({ question, header, options, field, ...more }: Question): Question {
  return {
    ...more,
    question: harmlessText(question),
    ...(header === undefined ? {} : { header: harmlessText(header) }),
    ...(options === undefined ? {} : { options: options.map(plainOption) }),
    ...(field === undefined ? {} : { field: plainField(field) }),
  };
}

function plainOption({ label, description }: NonNullable<Question["options"]>[number]) {
  return {
    label: harmlessText(label),
    ...(description === undefined ? {} : { description: harmlessText(description) }),
  };
}

function plainField({ name, schema, isRequired }: QuestionField): QuestionField {
  return { name: harmlessText(name), schema: plainValue(schema) as JsonSchema, isRequired };
}

function plainValue(value: unknown): unknown {
  if (typeof value === "string") return harmlessText(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [harmlessText(key), plainValue(inner)]),
  );
}
