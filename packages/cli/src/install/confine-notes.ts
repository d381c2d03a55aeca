import { claudeEntries } from "../clients/claude-settings.ts";
import type { OwnCommand } from "../clients/hook-line.ts";
import { CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { worksHere } from "../hooks/decide/confine/sandbox-proof.ts";
import { usageError } from "../terminal/command-error.ts";

/** @throws CommandError for a client whose commands a hook cannot replace, and for a program that a project chooses. */
export function assertConfinable(client: InstallClientName, own: OwnCommand): void {
  if (CLIENTS[client].canConfine !== true)
    throw usageError(
      `--confine is not available for ${client}.`,
      "Install without it: commands are decided about, and run as the client runs them.",
    );
  if (own[0] === "npx")
    throw usageError(
      "--confine cannot be used with --npx: the project could replace the program.",
      "Run `npm install -g toolkeep`, then run `toolkeep init` from there.",
    );
}

/** What is particular to a client. */
const NOTES: Readonly<Partial<Record<InstallClientName, string>>> = {
  codex:
    "Codex must run without a sandbox of its own (`danger-full-access`) and have no rules of its own that forbid or ask. Otherwise nothing is confined here.",
  copilot:
    "The client's own rules then see `toolkeep exec` instead of the command: what they deny belongs into a policy of Toolkeep too.",
};

/** What the choice does here, and why it may do nothing. */
export async function confineNotes(client: InstallClientName, project: string): Promise<readonly string[]> {
  const does =
    "Commands that the policy allows in a sandbox run in one, through `toolkeep exec`. Commands that need more are decided as without it.";
  if (!(await worksHere(project)))
    return [
      does,
      "Warning: no sandbox works here yet, so nothing is confined. Install bubblewrap (Linux), and do not run the client as root.",
    ];
  const note = NOTES[client];
  if (client !== "claude-code") return note === undefined ? [does] : [does, note];
  const { hasSandbox } = await claudeEntries({ root: project, isTrusted: false });
  return hasSandbox
    ? [does, "Claude Code's own sandbox is on: as long as it is, nothing is confined here."]
    : [does];
}
