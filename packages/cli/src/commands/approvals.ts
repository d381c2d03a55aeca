import { waitingLines, waitingRecord } from "../approvals/waiting-lines.ts";
import { withStore } from "../project/with-store.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep approvals`: what waits for a person, oldest first. */
export async function approvalsCommand(options: CommonOptions): Promise<number> {
  const terminal = openTerminal(options);
  const waiting = await withStore(terminal.cwd, (store) => store.waiting());
  terminal.show(
    waiting.map((one) => waitingRecord(one, waiting)),
    waiting.flatMap((one) => waitingLines(one, waiting)),
  );
  if (waiting.length === 0) terminal.note("Nothing waits.");
  if (waiting.some(({ request }) => !("questions" in request)))
    terminal.note("Say `toolkeep approve ID` or `toolkeep reject ID`.");
  if (waiting.some(({ request }) => "questions" in request))
    terminal.note("Questions take `toolkeep answer ID TEXT…`, one text for each, or `toolkeep reject ID`.");
  return EXIT.ok;
}
