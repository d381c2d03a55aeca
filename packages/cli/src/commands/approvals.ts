import { userInfo } from "node:os";
import type { ApprovalAnswer } from "@toolkeep/core";
import { findWaiting } from "../approvals/find-waiting.ts";
import { waitingLines, waitingRecord } from "../approvals/waiting-lines.ts";
import { withStore } from "../approvals/with-store.ts";
import { CommandFault, EXIT } from "../terminal/command-fault.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface AnswerOptions extends CommonOptions {
  readonly always?: boolean;
  readonly by?: string;
}

/** `toolkeep approvals`: what waits for a person, oldest first. */
export async function approvalsCommand(options: CommonOptions): Promise<number> {
  const terminal = openTerminal(options);
  const waiting = await withStore(terminal.cwd, (store) => store.waiting());
  terminal.show(
    waiting.map((one) => waitingRecord(one, waiting)),
    waiting.flatMap((one) => waitingLines(one, waiting)),
  );
  if (waiting.length === 0) terminal.note("Nothing waits.");
  else terminal.note("Answer with `toolkeep approve ID` or `toolkeep reject ID`.");
  return EXIT.ok;
}

/** `toolkeep approve ID`. */
export function approveCommand(id: string, options: AnswerOptions): Promise<number> {
  const by = options.by ?? userName();
  return leave(id, options.always === true ? { verdict: "always", by } : { verdict: "once", by }, options);
}

/** `toolkeep reject ID [WORDS]`. */
export function rejectCommand(id: string, words: readonly string[], options: AnswerOptions): Promise<number> {
  const said = words.length === 0 ? {} : { words: words.join(" ") };
  return leave(id, { verdict: "reject", by: options.by ?? userName(), ...said }, options);
}

/** Leaves the answer; the session that asked takes it, or says why not. */
async function leave(id: string, answer: ApprovalAnswer, options: CommonOptions): Promise<number> {
  const terminal = openTerminal(options);
  await withStore(terminal.cwd, (store) => {
    const waiting = store.waiting();
    const found = findWaiting(id, waiting);
    const { sessionId, request } = found;
    if ("questions" in request && answer.verdict !== "reject") {
      throw new CommandFault("This is a question, which is not answered by approving it.", {
        hint: "Answer it in the client that shows it, or reject it.",
      });
    }
    if (answer.verdict === "always" && "mayRemember" in request && !request.mayRemember) {
      throw new CommandFault("This is asked every time, so it cannot be approved for always.", {
        hint: "Leave out --always.",
      });
    }
    const given = "questions" in request ? request.questions.map(() => []) : answer;
    store.leaveAnswer({ sessionId, requestId: request.id, answer: given });
    terminal.show({ id: request.id, sessionId, answer }, [...waitingLines(found, waiting), said(answer)]);
  });
  return EXIT.ok;
}

function said({ verdict }: ApprovalAnswer): string {
  if (verdict === "reject") return "Rejected.";
  return verdict === "always" ? "Approved, now and always." : "Approved, this once.";
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}
