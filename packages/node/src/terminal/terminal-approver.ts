import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalRequest, Approver, Question, QuestionAnswers } from "@toolkeep/core";
import { assertKnownKeys, type QuestionRequest, visible } from "@toolkeep/core/internal";

/** Options of {@link terminalApprover}. */
export interface TerminalApproverOptions {
  /** Where answers are typed. Default: standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Where questions are shown. Default: standard error, so that standard output stays free for data. */
  readonly output?: Writable & { readonly isTTY?: boolean };
}

/**
 * An approver that asks the user of this terminal. It shows what the call will do, with which arguments, and why policy
 * asks, and takes `y` (this time), `a` (always, where that can be remembered: for the project if the session has a
 * store, otherwise for the session) or `n` (with a reason for the model after it). Questions come one at a time; what was typed before a question was shown does not answer it. Where standard
 * input or error is not a terminal, it asks nothing and rejects.
 *
 * @example
 * await using session = await createSession({ tools, policy, approver: terminalApprover() });
 */
export function terminalApprover(options: TerminalApproverOptions = {}): Approver {
  assertKnownKeys(options, ["input", "output"] satisfies (keyof TerminalApproverOptions)[], "option");
  const terminal = { input: options.input ?? process.stdin, output: options.output ?? process.stderr };
  let last: Promise<unknown> = Promise.resolve();
  const oneAtATime = <Result>(ask: (prompt: Interface) => Promise<Result>, signal: AbortSignal) => {
    const next = last.then(() => {
      signal.throwIfAborted();
      return withPrompt(terminal, ask);
    });
    last = next.catch(() => undefined);
    return next;
  };
  const isInteractive = () => terminal.input.isTTY === true && terminal.output.isTTY === true;
  return Object.freeze<Approver>({
    async approve(request, signal) {
      if (!isInteractive()) return { verdict: "reject", message: NOT_INTERACTIVE, by: "terminal" };
      return oneAtATime((prompt) => askForApproval(prompt, request, { ...terminal, signal }), signal);
    },
    async answer(request, signal) {
      if (!isInteractive()) return [];
      return oneAtATime((prompt) => askQuestions(prompt, request, { ...terminal, signal }), signal);
    },
  });
}

const NOT_INTERACTIVE = "Approval is required, but this is not an interactive terminal.";
/** What the terminal has buffered arrives within this time. */
const TYPED_BEFORE_MS = 50;
const MOST_ATTEMPTS = 3;
/** What is approved must be shown as a whole. */
const LONGEST_LINE = 12_000;

interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

interface Asking extends Terminal {
  readonly signal: AbortSignal;
}

async function withPrompt<Result>(
  { input, output }: Terminal,
  ask: (prompt: Interface) => Promise<Result>,
): Promise<Result> {
  const prompt = createInterface({ input, output });
  try {
    // Lines that were typed before the question is shown must not answer it.
    await wait(TYPED_BEFORE_MS);
    return await ask(prompt);
  } finally {
    prompt.close();
  }
}

async function askForApproval(
  prompt: Interface,
  request: ApprovalRequest,
  asking: Asking,
): Promise<ApprovalAnswer> {
  show(asking, ["", ...request.lines.map(safeLine)]);
  const choices = request.mayRemember ? "[y]es once, [a]lways, [n]o" : "[y]es once, [n]o";
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const typed = await line(prompt, `${choices}: `, asking);
    const answer = typed === undefined ? REJECTED : answerOf(typed, request);
    if (answer !== undefined) return answer;
  }
  return REJECTED;
}

const REJECTED = { verdict: "reject", by: "terminal" } as const;

function answerOf(typed: string, { mayRemember }: ApprovalRequest): ApprovalAnswer | undefined {
  if (/^y(?:es)?$/i.test(typed)) return { verdict: "once", by: "terminal" };
  if (mayRemember && /^a(?:lways)?$/i.test(typed))
    return { verdict: "always", scope: "project", by: "terminal" };
  const no = /^no?(?:\s+(.+))?$/i.exec(typed);
  if (no === null) return undefined;
  return no[1] === undefined ? REJECTED : { ...REJECTED, message: no[1] };
}

/** No answers at all if the input ends: an unanswered question is not an answer. */
async function askQuestions(
  prompt: Interface,
  { toolName, questions }: QuestionRequest,
  asking: Asking,
): Promise<QuestionAnswers> {
  const answers: (readonly string[])[] = [];
  for (const question of questions) {
    show(asking, ["", ...questionLines(toolName, question)]);
    const typed = await line(prompt, "> ", asking);
    if (typed === undefined) return [];
    answers.push(chosen(typed, question));
  }
  return answers;
}

function questionLines(toolName: string, { question, options = [], multiSelect }: Question) {
  const how = multiSelect === true ? ["Type numbers separated by commas, or an answer of your own."] : [];
  return [
    `${safeLine(toolName)} asks: ${safeLine(question)}`,
    ...options.map(({ label, description }, index) => {
      const more = description === undefined ? "" : `: ${safeLine(description)}`;
      return `  ${index + 1}. ${safeLine(label)}${more}`;
    }),
    ...how,
  ];
}

/** Numbers stand for options; anything else is taken as it was typed. */
function chosen(typed: string, { options = [], multiSelect = false }: Question): readonly string[] {
  if (typed === "") return [];
  const parts = multiSelect ? typed.split(",").map((part) => part.trim()) : [typed];
  return parts.map((part) => (/^\d+$/.test(part) ? options[Number(part) - 1]?.label : undefined) ?? part);
}

/** `undefined` if the input ends. @throws what the signal was aborted with. */
async function line(prompt: Interface, text: string, { signal }: Asking): Promise<string | undefined> {
  const ended = Promise.withResolvers<undefined>();
  prompt.once("close", () => ended.resolve(undefined));
  try {
    const typed = await Promise.race([prompt.question(text, { signal }), ended.promise]);
    return typed?.trim();
  } catch (error) {
    signal.throwIfAborted();
    // Ctrl-C at the question: no answer.
    if (error instanceof Error && error.name === "AbortError") return undefined;
    throw error;
  }
}

function show({ output }: Terminal, lines: readonly string[]): void {
  output.write(`${lines.join("\n")}\n`);
}

/** Lines of a request are safe already; escaping them again would show its marks as if the model had written them. */
function safeLine(text: string): string {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? visible(text, LONGEST_LINE) : text;
}
