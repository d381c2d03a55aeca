import type { GivenAnswer, WaitingRequest } from "@toolkeep/core";

import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { confirmed, type Terminal } from "../terminal/terminal.ts";
import { findRequest, requestLines } from "./pending-requests.ts";

export interface Submission {
  /** May be shortened. */
  readonly id: string;
  readonly terminal: Terminal;
  /** Whether to submit the answer without asking for confirmation. */
  readonly yes: boolean | undefined;
  /** @throws CommandError if the request takes another kind of answer. */
  answerTo(request: WaitingRequest["request"]): PreparedAnswer;
}

/** An answer to a request, the question that confirms it, and the message that reports it afterwards. */
interface PreparedAnswer {
  readonly answer: GivenAnswer;
  readonly question: string;
  readonly message: string;
}

/**
 * Stores an answer, which the session that asked picks up. The user sees the request first and confirms. Without a
 * terminal, only a rejection is taken: a program that knows the id is not the user.
 * @throws CommandError
 */
export async function submitAnswer({ id, terminal, yes, answerTo }: Submission): Promise<void> {
  const pending = await withStore(terminal.cwd, (store) => store.waiting());
  const found = findRequest(id, pending);
  const { sessionId, request } = found;
  const { answer, question, message } = answerTo(request);
  const lines = requestLines(found, pending);
  if (!isRejection(answer)) assertTerminal(terminal);
  const asks = yes !== true && terminal.isInteractive;
  if (asks) {
    terminal.note(lines.join("\n"));
    await confirmed({ question, yes, refused: "No answer was given: the call still waits." }, terminal);
  }
  await withStore(terminal.cwd, async (store) => {
    // Another approver may have answered meanwhile.
    findRequest(`${sessionId}:${request.id}`, await store.waiting());
    await store.answer({ sessionId, id: request.id }, answer);
  });
  terminal.show({ id: request.id, sessionId, answer }, asks ? [message] : [...lines, message]);
}

/** @throws CommandError where the user cannot be asked. */
export function assertTerminal({ isInteractive }: Pick<Terminal, "isInteractive">): void {
  if (isInteractive) return;
  throw new CommandError("An answer is given in an interactive terminal, or signed.", {
    exit: EXIT.needsApproval,
    hint: "Run it in a terminal. With a key that the administrator's `approvers` list, add --sign.",
  });
}

function isRejection(answer: GivenAnswer): boolean {
  if (Array.isArray(answer)) return answer.every((texts) => texts.length === 0);
  return "verdict" in answer && answer.verdict === "reject";
}
