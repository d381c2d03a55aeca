import { leaveAnswer, userName } from "../approvals/leave-answer.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface ApproveOptions extends CommonOptions {
  readonly id: string;
  readonly always?: boolean;
  readonly by?: string;
}

/** `toolkeep approve ID`. */
export async function approveCommand(options: ApproveOptions): Promise<number> {
  const { id, always = false, by = userName() } = options;
  await leaveAnswer({
    id,
    terminal: openTerminal(options),
    answerTo(request) {
      if ("questions" in request) {
        throw new CommandError("This is a question, which is not answered by approving it.", {
          hint: "Say `toolkeep answer ID TEXT…`, one text for each question, or `toolkeep reject ID`.",
        });
      }
      if (always && !request.mayRemember) {
        throw new CommandError("This is asked every time, so it cannot be approved for always.", {
          hint: "Leave out --always.",
        });
      }
      return always
        ? { given: { verdict: "always", by }, said: "Approved, now and always." }
        : { given: { verdict: "once", by }, said: "Approved, this once." };
    },
  });
  return EXIT.ok;
}
