import { writeSync } from "node:fs";
import { constants } from "node:os";
import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";
import { trailer } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { TicketError } from "../hooks/decide/confine/ticket.ts";
import type { Attached } from "../hooks/exec/run-in-sandbox.ts";
import { runTicket } from "../hooks/exec/run-ticket.ts";
import { CommandError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";

/** `toolkeep exec`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("exec", (command) =>
    exec(optionsOf<{ readonly ticket: string }>(command).ticket, command.args),
  ).requiredOption("--ticket <ticket>", "the ticket, which is valid once");
}

/** As shells say that a command was found and not run. */
const NOT_RUN = 126;

/** How long a command may take to end after the signal. Clients wait about as long, and then kill everything. */
const GRACE_MS = 2_000;

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
const PASSED_ON = ["SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"] as const;

/** The streams belong to the command, so that nothing of them is opened here. */
async function exec(token: string, args: readonly string[]): Promise<number> {
  const signals = followSignals();
  let isStarted = false;
  try {
    const { outcome, hint, report } = await runTicket(
      { token, args, environment: process.env },
      (running) => {
        isStarted = true;
        signals.passTo(running);
      },
    );
    const { exitCode, signal = "SIGKILL", note, contained } = outcome;
    const rest = contained === undefined ? undefined : trailer(contained);
    if (exitCode !== 0 && note !== undefined) say(note);
    if (rest !== undefined) say(rest + hint);
    await report();
    return exitCode ?? 128 + constants.signals[signals.ended ?? (signal as NodeJS.Signals)];
  } catch (error) {
    if (signals.ended !== undefined) return 128 + constants.signals[signals.ended];
    say(isStarted ? `The command was stopped: ${messageOf(error)}` : `Not run: ${messageOf(error)}`);
    return isStarted ? 1 : NOT_RUN;
  } finally {
    signals.stop();
  }
}

/** What is sent before the command runs ends this process: a ticket that was taken is lost. */
function followSignals() {
  let running: Attached | undefined;
  let ended: (typeof ENDING)[number] | undefined;
  const end = (name: NodeJS.Signals) => {
    if (running === undefined) process.exit(128 + constants.signals[name]);
    ended ??= name as (typeof ENDING)[number];
    running.signal(name);
    setTimeout(() => running?.kill(0), GRACE_MS).unref();
  };
  const pass = (name: NodeJS.Signals) => running?.signal(name);
  for (const name of ENDING) process.on(name, end);
  for (const name of PASSED_ON) process.on(name, pass);
  return {
    get ended() {
      return ended;
    },
    passTo(started: Attached) {
      running = started;
    },
    stop() {
      for (const name of ENDING) process.off(name, end);
      for (const name of PASSED_ON) process.off(name, pass);
    },
  };
}

function messageOf(error: unknown): string {
  const isExpected =
    error instanceof TicketError ||
    error instanceof CommandError ||
    ToolkeepError.isInstance(error) ||
    ToolFailure.isInstance(error);
  return isExpected
    ? (error as Error).message
    : `internal error (${error instanceof Error ? error.name : "unknown"}).`;
}

function say(message: string): void {
  try {
    writeSync(2, `toolkeep: ${terminalText(message)}\n`);
  } catch {
    // The stream is closed.
  }
}
