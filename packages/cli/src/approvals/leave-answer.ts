import { userInfo } from "node:os";
import type { GivenAnswer, WaitingRequest } from "@toolkeep/core";
import { withStore } from "../project/with-store.ts";
import { agreed } from "../terminal/agreed.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findWaiting } from "./find-waiting.ts";
import { waitingLines } from "./waiting-lines.ts";

export interface AnswerChoice {
  /** May be shortened. */
  readonly id: string;
  readonly terminal: Terminal;
  /** The answer to a request, and what is told of it. @throws CommandFault for one that cannot be answered so. */
  answerTo(request: WaitingRequest["request"]): { readonly given: GivenAnswer; readonly said: string };
}

/**
 * Leaves an answer; the session that asked takes it, or says why not. Whoever sits at a terminal sees first what it
 * is about, and says yes.
 */
export async function leaveAnswer({ id, terminal, answerTo }: AnswerChoice): Promise<void> {
  const waiting = await withStore(terminal.cwd, (store) => store.waiting());
  const found = findWaiting(id, waiting);
  const { sessionId, request } = found;
  const { given, said } = answerTo(request);
  const lines = waitingLines(found, waiting);
  if (terminal.isInteractive) {
    terminal.note([...lines, said].join("\n"));
    await agreed(
      { question: "Leave this answer?", yes: false, refused: "Nothing was answered.", hint: "" },
      terminal,
    );
  }
  await withStore(terminal.cwd, async (store) => {
    // Another person may have answered meanwhile.
    findWaiting(`${sessionId}:${request.id}`, await store.waiting());
    await store.answer({ sessionId, id: request.id }, given);
  });
  terminal.show(
    { id: request.id, sessionId, answer: given },
    terminal.isInteractive ? [said] : [...lines, said],
  );
}

/** Who answers, where nothing else is said. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}
