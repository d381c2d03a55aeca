import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type {
  ApprovalAnswer,
  ApprovalRequest,
  PersonRequest,
  Question,
  QuestionAnswers,
} from "@toolkeep/core";
import { harmlessText, type QuestionRequest } from "@toolkeep/core/internal";

const LONGEST_MESSAGE = 4_000;
const LONGEST_TITLE = 200;
const LONGEST_REASON = 500;
const [ONCE, ALWAYS, REJECT] = ["Allow once", "Always allow", "Reject"];

const LASTS = `"${ALWAYS}" lasts for this project until you revoke it.`;

type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">;
type Field = Form["requestedSchema"]["properties"][string];

/** Whether only approvers with keys can approve it, who are not the client's user. */
export function isSignedOnly(request: PersonRequest): boolean {
  return "needs" in request && request.needs !== undefined;
}

/** The form that a client shows its user for a request: bounded, and nothing in it can imitate the form itself. */
export function formOf(request: PersonRequest): Form {
  return "questions" in request ? questionForm(request) : approvalForm(request);
}

/** The user's answer, for `session.answer`. Everything but an explicit yes is a no. */
export function answerOf(
  request: PersonRequest,
  result: unknown,
  by: string,
): ApprovalAnswer | QuestionAnswers {
  const { action, content } = readResult(result);
  if ("questions" in request)
    // An empty list fits no question: the caller learns that there was no answer, and assumes nothing.
    return action === "accept"
      ? request.questions.map((question, at) => textsOf(own(content, fieldName(question, at))))
      : [];
  const { decision, note } = content;
  if (action === "accept" && decision === ONCE) return { verdict: "once", by };
  if (action === "accept" && decision === ALWAYS && request.mayRemember)
    return { verdict: "always", scope: "project", by };
  const reason = typeof note === "string" ? harmlessText(note).trim().slice(0, LONGEST_REASON) : "";
  return {
    verdict: "reject",
    message: reason === "" ? "Denied by the user." : `Denied by the user: ${reason}`,
    by,
  };
}

function approvalForm(request: ApprovalRequest): Form {
  const choices = request.mayRemember ? [ONCE, ALWAYS, REJECT] : [ONCE, REJECT];
  const description = request.mayRemember ? { description: LASTS } : {};
  return {
    message: bounded(request.lines.map(harmlessText).join("\n"), LONGEST_MESSAGE),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "May this run?", ...description, enum: choices as string[] },
        note: { type: "string", title: "Reason (only if you reject)", maxLength: LONGEST_REASON },
      },
      required: ["decision"],
    },
  };
}

function questionForm({ toolName, questions }: QuestionRequest): Form {
  // The questions of one form all name the server that asks: once is enough.
  const asked = new Set(questions.flatMap(({ question }) => question.split("\n")));
  const fields = questions.map((question, at) => [fieldName(question, at), fieldOf(question)] as const);
  return {
    message: bounded(harmlessText([`${toolName} asks:`, ...asked].join("\n")), LONGEST_MESSAGE),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(fields),
      required: questions.flatMap((question, at) => (isRequired(question) ? [fieldName(question, at)] : [])),
    },
  };
}

function isRequired({ field, multiSelect }: Question): boolean {
  return field?.isRequired ?? multiSelect !== true;
}

function fieldOf({ question, header, options = [], multiSelect, field }: Question): Field {
  const title = bounded(harmlessText(header ?? question), LONGEST_TITLE);
  if (field !== undefined) return { title, ...field.schema } as Field;
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

function fieldName({ field }: Question, at: number): string {
  return field?.name ?? `answer${at + 1}`;
}

function own(content: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(content, name) ? content[name] : undefined;
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
