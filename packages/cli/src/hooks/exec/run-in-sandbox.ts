import { type ApprovalRequest, createRedactor, defineTool, type Tool, ToolFailure } from "@toolkeep/core";
import { createSessionWithPorts, visible } from "@toolkeep/core/internal";
import type { CommandOutcome, ContainedOutcome } from "@toolkeep/core/ports";
import { openWorkspace } from "@toolkeep/node";
import { type AttachableCommands, clientProcess, decidedBefore } from "@toolkeep/node/internal";
import { bashTool } from "@toolkeep/tools/internal";
import { networkSettings } from "../../project/network-settings.ts";
import type { Project } from "../../project/read-project.ts";
import { effectLines } from "../decide/confine/effect-lines.ts";
import { OF_TERMINAL, passedVariables } from "../decide/confine/passed-variables.ts";
import { provenSandbox } from "../decide/confine/sandbox-proof.ts";
import type { Ticket } from "../decide/confine/ticket.ts";

/** How a command ended, and what became of its changes if it ran contained. */
export interface RanCommand extends CommandOutcome {
  readonly contained?: ContainedOutcome;
}

/**
 * Runs the command of a ticket as the `bash` tool of a workspace would: the profile of the sandbox is compiled from its
 * effects. They are resolved and evaluated again. What the policy asks was decided with the ticket, unless the command
 * does something now that it did not do then.
 * @throws ToolkeepError if no sandbox works here. @throws ToolFailure if the command was not started, or was stopped.
 */
export async function runInSandbox(
  ticket: Ticket,
  { project, onStart }: { readonly project: Project; onStart(running: Attached): void },
): Promise<RanCommand> {
  const { root, config, policy, isTrusted, principal } = project;
  const isContained = ticket.contained !== undefined;
  let contained: ContainedOutcome | undefined;
  const onOutcome = (one: ContainedOutcome) => {
    contained = one;
  };
  await using workspace = await openWorkspace({
    roots: [root, ...config.roots],
    adHoc: config.files,
    catalog: config.catalog,
    environment: { pass: isContained ? passedVariables(process.env) : OF_TERMINAL },
    network: networkSettings(config),
    sandbox: await provenSandbox(),
    ...(isContained
      ? {
          contain: {
            ...{ commands: "all", keptFor: keptFor(), onOutcome, sessionId: ticket.sessionId },
            ...ticket.granted,
            through: ticket.contained === "through",
          },
        }
      : {}),
  });
  let outcome: CommandOutcome | undefined;
  const undecided: string[] = [];
  const isLayered = ticket.contained === "layer";
  const tool = confinedTool({ onStart, onEnd: (end) => (outcome = end), isLayered });
  const session = await createSessionWithPorts({
    ...workspace.sessionOptions({ redactor: createRedactor(config.redaction) }),
    ...{ tools: [tool], policy, isTrusted, principal, limits: UNLIMITED },
    approver: async (request) => {
      undecided.push(...undecidedIn(request, ticket));
      if (request.needs !== undefined) return { verdict: "reject", message: SIGNED_ONLY, by: "toolkeep" };
      return { verdict: undecided.length === 0 ? "once" : "reject", by: "the ticket of the command" };
    },
  });
  const { command, cwd } = ticket;
  const args = cwd === root ? { command } : { command, workdir: cwd };
  const call = { id: ticket.callId, name: tool.name, arguments: args };
  const { decision } = (await session.explain(call)).explanation ?? {};
  const isFinal = !isContained && decision?.action === "ask" && decision.isFinal === true;
  const { failure } = isFinal ? FINAL : await session.call(call);
  await session.close();
  if (outcome !== undefined) return contained === undefined ? outcome : { ...outcome, contained };
  if (undecided.length > 0) throw new ToolFailure("denied", doesMore(undecided));
  throw new ToolFailure(failure?.code ?? "tool_failed", failure?.message ?? "The command did not start.");
}

/** Servers that a client's commands left running end with it. */
function keptFor(): readonly number[] {
  const client = clientProcess();
  return client === undefined ? [] : [client];
}

const SIGNED_ONLY = "Denied: this command needs the signatures of its approvers, who cannot sign here.";

/** No ticket is issued for such a command. */
const FINAL = {
  failure: {
    code: "denied",
    message: "A final rule asks about the command, so a ticket cannot answer for it.",
  },
} as const;

/** The client has its own timeout. */
const LONGEST_MS = 2 ** 31 - 1;
const UNLIMITED = { timeoutMs: LONGEST_MS, totalTimeoutMs: LONGEST_MS };

/** What a command would do now that it did not do when it was decided. */
function undecidedIn({ effects }: ApprovalRequest, ticket: Ticket): readonly string[] {
  return effectLines(effects).filter((line) => !ticket.effects.includes(line));
}

const MOST_SHOWN = 3;

function doesMore(lines: readonly string[]): string {
  const rest = lines.length > MOST_SHOWN ? `, and ${lines.length - MOST_SHOWN} more` : "";
  const shown = visible(lines.slice(0, MOST_SHOWN).join(", "));
  return `The command would do what was not decided: ${shown}${rest}. Run it again, so that it is decided again.`;
}

interface Following {
  /** Whether what it changes is decided about afterwards. */
  readonly isLayered: boolean;
  onStart(running: Attached): void;
  onEnd(outcome: CommandOutcome): void;
}

/** With the effects and the requirements of `bash`, and the streams of this process. */
function confinedTool({ onStart, onEnd, isLayered }: Following): Tool {
  const { execute: _, effects, ...bash } = bashTool();
  return defineTool({
    ...bash,
    effects: async (...line: Parameters<NonNullable<typeof effects>>) => {
      const all = (await effects?.(...line)) ?? [];
      return isLayered ? decidedBefore(all) : all;
    },
    gated: true,
    timeoutMs: LONGEST_MS,
    async execute({ command, workdir }, ctx) {
      const commands = ctx.io.commands as AttachableCommands;
      const running = await commands.attach({
        line: command,
        ...(workdir === undefined ? {} : { cwd: workdir }),
      });
      onStart(running);
      onEnd(await running.exited);
      return "ended";
    },
  }) as Tool;
}

export type Attached = Awaited<ReturnType<AttachableCommands["attach"]>>;
