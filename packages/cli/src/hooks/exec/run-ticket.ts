import { realpathSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { errorText, joinCommand, unlessThrown, visible } from "@toolkeep/core/internal";
import { askedLines } from "@toolkeep/node/internal";
import { rememberSeen } from "../../project/contain/seen-commands.ts";
import { hostAndPort } from "../../project/contain/standing-grants.ts";
import { type Project, readProject } from "../../project/read-project.ts";
import { policyFingerprint } from "../decide/confine/policy-fingerprint.ts";
import { CONVERSATION, type Ticket, TicketError, takeTicket } from "../decide/confine/ticket.ts";
import type { Attached, RanCommand } from "./run-in-sandbox.ts";

/** How `toolkeep exec` was called. */
export interface ExecRequest {
  readonly token: string;
  /** Everything behind `--`. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the command of a ticket in the sandbox. The ticket is taken first, so that a wrong use of it uses it up.
 * @throws TicketError, ToolkeepError, ToolFailure and CommandError if the command was not started.
 */
export async function runTicket(
  { token, args, environment }: ExecRequest,
  onStart: (running: Attached) => void,
): Promise<EndedCommand> {
  const ticket = await takeTicket(token);
  checkUse(ticket, { args, environment });
  const project = await readProject(ticket.source);
  if (project.root !== ticket.project || policyFingerprint(project) !== ticket.policy)
    throw new TicketError(
      "The policy or the trust of the project changed after this command was decided. Run it again.",
    );
  // Only now, because loading it takes longer than all checks before.
  const { runInSandbox } = await import("./run-in-sandbox.ts");
  const outcome = await ran(ticket, () => runInSandbox(ticket, { project, onStart }));
  return { outcome, hint: grantHint(ticket, outcome), report: () => report(ticket, outcome, project) };
}

/** How the user lets the command reach what it was refused, if that can be granted. */
function grantHint({ isGrantable, command }: Ticket, { contained }: RanCommand): string {
  const [host] = (contained?.refused ?? []).flatMap((one) => /^\S+:\d+/.exec(one)?.[0] ?? []);
  if (isGrantable !== true || host === undefined || hostAndPort(host) === undefined) return "";
  return ` The user can run \`toolkeep contain grant ${joinCommand([host, command])}\`.`;
}

/** What has to be asked of a contained command is remembered; and that one could not be contained. */
async function ran(ticket: Ticket, run: () => Promise<RanCommand>): Promise<RanCommand> {
  if (ticket.contained === undefined) return run();
  const { project, command, cwd, sessionId } = ticket;
  const remember = (lines: readonly string[]) =>
    rememberSeen(project, { command, cwd, sessionId, lines, at: Date.now() });
  try {
    const outcome = await run();
    const lines = outcome.contained === undefined ? [] : askedLines(outcome.contained);
    if (lines.length > 0) await remember(lines);
    return outcome;
  } catch (error) {
    const isUnkept = ToolFailure.isInstance(error) && error.code === "unavailable";
    const failed = `ended with a failure: ${visible(errorText(error).replace(/\.$/, ""))}`;
    await remember([isUnkept ? "could not be contained, and nothing of it was kept" : failed]);
    throw error;
  }
}

interface EndedCommand {
  readonly outcome: RanCommand;
  readonly hint: string;
  /** Writes to the audit log of the conversation what has become of the command. */
  report(): Promise<void>;
}

/** The command has run, whatever becomes of the report: another hook of the conversation may have its session. */
async function report(
  { sessionId, callId }: Ticket,
  { exitCode }: RanCommand,
  { storeFolder }: Project,
): Promise<void> {
  const { writeReport } = await import("../answer/record-outcome.ts");
  const said = { sessionId, callId, outcome: exitCode === 0 ? "ran" : "failed" } as const;
  await writeReport(said, storeFolder).catch(() => undefined);
}

/** @throws TicketError if this is not the command that was decided, or it is run elsewhere. */
function checkUse(ticket: Ticket, { args, environment }: Omit<ExecRequest, "token">): void {
  if (args.length !== 1 || args[0] !== ticket.command)
    throw new TicketError("The ticket was issued for another command.");
  if (unlessThrown(() => realpathSync.native(process.cwd())) !== ticket.cwd)
    throw new TicketError(`The ticket was issued for a command in ${JSON.stringify(ticket.cwd)}.`);
  const conversation = environment[CONVERSATION];
  const isForeign =
    ticket.conversation !== undefined && conversation !== undefined && ticket.conversation !== conversation;
  if (isForeign) throw new TicketError("The ticket was issued for another conversation.");
}
