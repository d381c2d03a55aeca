import { CommandError, EXIT } from "./command-error.ts";
import type { Terminal } from "./terminal.ts";

export interface Consent {
  readonly question: string;
  /** Whether the person said so beforehand. */
  readonly yes: boolean | undefined;
  /** What is told where the person says no. */
  readonly refused: string;
  /** What to do where nobody is there. */
  readonly hint: string;
}

/** Goes on once a person said yes. @throws CommandFault where nobody does. */
export async function agreed({ question, yes, refused, hint }: Consent, terminal: Terminal): Promise<void> {
  if (yes === true) return;
  // What is agreed to was to be shown as a note, and was not.
  if (terminal.isQuiet && terminal.isInteractive)
    throw new CommandError("With --quiet nothing is shown, so nothing can be agreed to.", {
      exit: EXIT.usage,
      hint: "Leave out --quiet, or say --yes.",
    });
  if (await terminal.confirm(question)) return;
  if (terminal.isInteractive) throw new CommandError(refused, { exit: EXIT.denied });
  throw new CommandError("Nobody is there to be asked.", { exit: EXIT.needsApproval, hint });
}
