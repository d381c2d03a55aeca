import type { ApprovalAnswer, ApprovalRequest } from "@toolkeep/core";
import { ruleText, visible } from "@toolkeep/core/internal";
import { type ApprovalKey, approvalPrompt } from "./approval-prompt.ts";
import { editableCommand } from "./call-rows.ts";
import { INTERRUPT, type Keyboard, type ScreenOutput } from "./keyboard.ts";
import { BAR, flowed, type PromptRow, wrapped } from "./prompt-rows.ts";
import { onResize, showRows, viewOf } from "./prompt-screen.ts";

/** A prompt on a screen. */
interface Asking {
  readonly keyboard: Keyboard;
  readonly output: ScreenOutput;
  readonly signal: AbortSignal;
  /** The name of the approver. */
  readonly by: string;
  /** What stands above the prompt. */
  readonly above?: (columns: number) => readonly PromptRow[];
  /** Further keys, which `above` names. */
  readonly moreKeys?: readonly string[];
  /** Aborts when what is above has changed. */
  readonly changed?: AbortSignal;
  /** Whether it is shown instead of what is on the screen. */
  readonly isAnew?: boolean;
}

/** Why there is no answer: Ctrl-C or the end of the input, or what is above the prompt has changed. */
export const INTERRUPTED = "interrupted";
export const CHANGED = "changed";
const RESIZED = "resized";

const LONGEST = 10_000;

const KEYS: readonly string[] = [
  "[y] allows this call and no other. [n] and Ctrl-C reject it; [w] also tells the model why. [e] runs another command instead, if the policy does not deny it.",
  "[s] and [p] allow it again without a prompt, as the prompt describes: in this session, or in this project until it is revoked.",
];

/**
 * Shows the approval prompt until a key answers it. It is shown again when the size of the screen changes. Returns the
 * answer, or one of the further keys, or why there is none.
 * @throws what the signal is aborted with.
 */
export async function askApproval(
  request: ApprovalRequest,
  asking: Asking,
): Promise<ApprovalAnswer | string> {
  const { output, by, above = () => [], moreKeys = [] } = asking;
  let { isAnew = false } = asking;
  let isExplained = false;
  for (;;) {
    const view = viewOf(output);
    const before = [...above(view.columns), ...(isExplained ? explainRows(request, view.columns) : [])];
    const { rows, keys } = approvalPrompt(request, { ...view, rows: view.rows - before.length });
    showRows(output, [...before, ...rows], { isAnew });
    const key = await nextKey([...keys, ...moreKeys], asking);
    if (key === INTERRUPTED || key === CHANGED || moreKeys.includes(key)) return key;
    isAnew ||= key === RESIZED;
    isExplained ||= key === "?";
    const answer = isAnswer(key) ? await answerTo(key, request, asking) : undefined;
    if (answer !== undefined) return { ...answer, by };
  }
}

const isAnswer = (key: string): key is ApprovalKey => key !== RESIZED && key !== "?";

/** The next key that counts, or why there is none. @throws what the signal is aborted with. */
export async function nextKey(
  accepted: readonly string[],
  { keyboard, output, signal, changed = NEVER }: Pick<Asking, "keyboard" | "output" | "signal" | "changed">,
): Promise<string> {
  const resized = new AbortController();
  using _ = onResize(output, () => resized.abort());
  try {
    const key = await keyboard.key(accepted, AbortSignal.any([signal, resized.signal, changed]));
    return key === INTERRUPT ? INTERRUPTED : key;
  } catch (error) {
    signal.throwIfAborted();
    if (changed.aborted) return CHANGED;
    if (resized.signal.aborted) return RESIZED;
    throw error;
  }
}

const NEVER = new AbortController().signal;

async function answerTo(
  key: ApprovalKey,
  request: ApprovalRequest,
  asking: Asking,
): Promise<ApprovalAnswer | undefined> {
  const { keyboard, output, signal } = asking;
  switch (key) {
    case "y":
      return said(output, "Approved once.", { verdict: "once" });
    case "s":
      return said(output, "Approved for this session.", { verdict: "always", scope: "session" });
    case "p":
      return said(output, "Approved for this project.", { verdict: "always", scope: "project" });
    case "w": {
      output.write("\nThe reason, for the model (Enter sends it, Esc goes back): ");
      const message = (await keyboard.line(signal)) ?? "";
      if (message === "") return undefined;
      return said(output, `Rejected: ${visible(message)}`, { verdict: "reject", message });
    }
    case "e":
      return editedAnswer(request, asking);
    default:
      return said(output, "Rejected.", { verdict: "reject" });
  }
}

/** Another command instead. It is shown again before it counts: a line may have been pasted. */
async function editedAnswer(request: ApprovalRequest, asking: Asking): Promise<ApprovalAnswer | undefined> {
  const { keyboard, output, signal } = asking;
  output.write("\nThe command to run instead (Enter shows it again, Esc goes back):\n");
  const command = (await keyboard.line(signal, editableCommand(request) ?? "")) ?? "";
  if (command === "") return undefined;
  const { columns } = viewOf(output);
  showRows(output, [
    ...wrapped("RUN THIS INSTEAD?", { columns, tone: "title" }),
    ...wrapped(visible(command), { first: BAR, columns }),
    ...flowed(["[y] once", "[n] back"], { columns, tone: "keys" }),
  ]);
  if ((await nextKey(["y", "n"], asking)) !== "y") return undefined;
  const args = { ...(request.arguments as Readonly<Record<string, unknown>>), command };
  return said(output, "Approved once, as edited.", { verdict: "edit", arguments: args });
}

function said(output: ScreenOutput, text: string, answer: ApprovalAnswer): ApprovalAnswer {
  output.write(`\n${text}\n`);
  return answer;
}

/** What `?` adds to a prompt: the ids, what asks, the effects as rules name them, the rules, and the keys. */
function explainRows(request: ApprovalRequest, columns: number): readonly PromptRow[] {
  const { id, sessionId, askedBy, effects, exactRules = [], suggestions } = request;
  const item = (text: string) => wrapped(visible(text, LONGEST), { first: BAR, columns });
  const title = (text: string) => wrapped(text, { columns, tone: "title" });
  return [
    ...title("EXPLANATION"),
    { text: "Request, session, and what asks:" },
    ...[id, sessionId, askedBy.join(", ")].flatMap(item),
    { text: "The effects, as rules name them, and how they are known:" },
    ...effects.flatMap(({ capability, target, known = "declared" }) =>
      item(`${capability} ${target} (${known})`),
    ),
    ...(exactRules.length === 0 ? [] : [{ text: "Rules that allow this call and no other:" }]),
    ...exactRules.flatMap((rule) => item(ruleText(rule))),
    ...(suggestions.length === 0 ? [] : [{ text: "Wider rules, which allow similar calls too:" }]),
    ...suggestions.flatMap((rule) => item(ruleText(rule))),
    ...KEYS.flatMap((text) => wrapped(text, { columns })),
  ];
}
