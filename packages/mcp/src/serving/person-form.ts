import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  harmlessText,
  type PersonRequest,
  type Question,
  type QuestionAnswers,
  type QuestionRequest,
} from "@toolkeep/core";

const LONGEST_MESSAGE = 4_000;
const LONGEST_TITLE = 200;
const LONGEST_WORDS = 500;
const [ONCE, ALWAYS, REJECT] = ["Allow once", "Always allow", "Reject"];

type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">;
type Field = Form["requestedSchema"]["properties"][string];

/** What a client shows its person for a request: nothing in it can pose as anything else, and it is bounded. */
export function formOf(request: PersonRequest): Form {
  return "questions" in request ? questionForm(request) : approvalForm(request);
}

/** What the person said, for `session.answer`. Everything but a plain yes is a no. */
export function answerOf(
  request: PersonRequest,
  result: unknown,
  by: string,
): ApprovalAnswer | QuestionAnswers {
  const { action, content } = readResult(result);
  if ("questions" in request)
    // No list at all fits no question: whoever asked learns that nobody answered, and assumes nothing.
    return action === "accept" ? request.questions.map((_, at) => textsOf(content[fieldName(at)])) : [];
  const { decision, note } = content;
  if (action === "accept" && decision === ONCE) return { verdict: "once", by };
  if (action === "accept" && decision === ALWAYS && request.mayRemember)
    return { verdict: "always", scope: "session", by };
  const words = typeof note === "string" ? harmlessText(note).trim().slice(0, LONGEST_WORDS) : "";
  return {
    verdict: "reject",
    words:
      words === "" ? "Denied by the person who was asked." : `Denied by the person who was asked: ${words}`,
    by,
  };
}

function approvalForm(request: ApprovalRequest): Form {
  const choices = request.mayRemember ? [ONCE, ALWAYS, REJECT] : [ONCE, REJECT];
  return {
    message: bounded(request.lines.map(harmlessText).join("\n"), LONGEST_MESSAGE),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "May this run?", enum: choices as string[] },
        note: { type: "string", title: "Why not (only when you reject)", maxLength: LONGEST_WORDS },
      },
      required: ["decision"],
    },
  };
}

function questionForm({ toolName, questions }: QuestionRequest): Form {
  const asked = questions.map(({ question }) => question).join("\n");
  return {
    message: bounded(harmlessText(`${toolName} asks:\n${asked}`), LONGEST_MESSAGE),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(questions.map((question, at) => [fieldName(at), fieldOf(question)])),
      required: questions.flatMap(({ multiSelect }, at) => (multiSelect === true ? [] : [fieldName(at)])),
    },
  };
}

function fieldOf({ question, header, options = [], multiSelect }: Question): Field {
  const title = bounded(harmlessText(header ?? question), LONGEST_TITLE);
  const described = options.flatMap(({ label, description }) =>
    description === undefined ? [] : [`${label}: ${description}`],
  );
  const description = bounded(harmlessText([question, ...described].join("\n")), LONGEST_MESSAGE);
  const labels = options.map(({ label }) => label);
  if (labels.length === 0) return { type: "string", title, description };
  return multiSelect === true
    ? { type: "array", title, description, items: { type: "string", enum: labels } }
    : { type: "string", title, description, enum: labels };
}

function fieldName(at: number): string {
  return `answer${at + 1}`;
}

function readResult(result: unknown): { action: unknown; content: Readonly<Record<string, unknown>> } {
  const { action, content } = (result ?? {}) as Partial<ElicitResult>;
  return { action, content: typeof content === "object" && content !== null ? content : {} };
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return value === undefined || value === null || value === "" ? [] : [String(value)];
}

function bounded(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
