import { setTimeout as wait } from "node:timers/promises";
import type { Question, QuestionAnswers } from "@toolkeep/core";
import { type QuestionRequest, visible } from "@toolkeep/core/internal";
import { plainName } from "./approval-prompt.ts";
import type { Keyboard, ScreenOutput } from "./keyboard.ts";
import { BAR, type PromptRow, wrapped } from "./prompt-rows.ts";
import { showRows, viewOf } from "./prompt-screen.ts";

const LONGEST = 12_000;
/** What the terminal has buffered arrives within this time. */
const TYPED_BEFORE_MS = 50;

/** Asks the questions of a tool one by one. No answers at all after Ctrl-C: an unanswered question is not an answer. */
export async function askQuestions(
  request: QuestionRequest,
  {
    keyboard,
    output,
    signal,
  }: { readonly keyboard: Keyboard; readonly output: ScreenOutput; readonly signal: AbortSignal },
): Promise<QuestionAnswers> {
  const answers: (readonly string[])[] = [];
  for (const question of request.questions) {
    // What was typed before the question is shown must not answer it.
    await wait(TYPED_BEFORE_MS);
    const rows = questionRows(request, question, viewOf(output).columns);
    showRows(output, [...rows, { text: ">", tone: "keys" }]);
    const typed = await keyboard.line(signal);
    if (typed === undefined) return [];
    answers.push(chosen(typed, question));
  }
  return answers;
}

/** A question as rows of a screen, with numbers for its options. */
export function questionRows(
  { toolName, agents = [] }: Pick<QuestionRequest, "toolName" | "agents">,
  { question, options = [], multiSelect }: Question,
  columns: number,
): readonly PromptRow[] {
  const item = (text: string) => wrapped(visible(text, LONGEST), { first: BAR, rest: `${BAR}  `, columns });
  const own = multiSelect === true ? "Type numbers separated by commas, or an answer of your own." : HOW;
  const who = agents.length === 0 ? "" : ` for the agent ${agents.map(plainName).join(" > ")}`;
  return [
    ...wrapped(`QUESTION  ${plainName(toolName)} asks${who}:`, { columns, tone: "title" }),
    ...item(question),
    ...options.flatMap(({ label, description }, index) =>
      item(`${index + 1}. ${label}${description === undefined ? "" : `: ${description}`}`),
    ),
    ...(options.length === 0 ? [] : wrapped(own, { columns })),
  ];
}

const HOW = "Type a number, or an answer of your own.";

/** Numbers stand for options; anything else is taken as it was typed. */
function chosen(typed: string, { options = [], multiSelect = false }: Question): readonly string[] {
  if (typed === "") return [];
  const parts = multiSelect ? typed.split(",").map((part) => part.trim()) : [typed];
  return parts.map((part) => (/^\d+$/.test(part) ? options[Number(part) - 1]?.label : undefined) ?? part);
}
