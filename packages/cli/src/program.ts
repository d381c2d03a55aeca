import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";
import { type Command, CommanderError } from "commander";
import { addApprovals } from "./program/add-approvals.ts";
import { addGateway } from "./program/add-gateway.ts";
import { addHook } from "./program/add-hook.ts";
import { addInstall } from "./program/add-install.ts";
import { addLog } from "./program/add-log.ts";
import { addServers } from "./program/add-servers.ts";
import { addTrust } from "./program/add-trust.ts";
import { type Done, newProgram } from "./program/command-line.ts";
import { CommandError, EXIT } from "./terminal/command-error.ts";
import { VERSION } from "./version.ts";

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage (and a hook that blocks), 3 denied, 4 needs approval, 130 and 143 ended
by a signal, 141 by a closed pipe.`;

/** Runs one command line. Never throws: what goes wrong is said on standard error. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  const program = buildProgram((code) => {
    exit = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exit;
  } catch (error) {
    return reportError(error, argv.includes("--json"));
  }
}

function buildProgram(done: Done): Command {
  const program = newProgram()
    .description("The gate between agents and the machine: gateway, hooks, approvals.")
    .version(VERSION, "-V, --version")
    .addHelpText("after", EXIT_CODES);
  addGateway(program, done);
  addServers(program, done);
  addTrust(program, done);
  addApprovals(program, done);
  addLog(program, done);
  addHook(program, done);
  addInstall(program, done);
  return program;
}

function reportError(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    // The help was shown instead.
    if (error.code === "commander.help") return EXIT.usage;
    return reportError(usageError(error), json);
  }
  const hint = error instanceof CommandError || ToolFailure.isInstance(error) ? error.hint : undefined;
  const isExpected =
    error instanceof CommandError || ToolkeepError.isInstance(error) || ToolFailure.isInstance(error);
  const message = isExpected
    ? (error as Error).message
    : `Something went wrong inside (${error instanceof Error ? `${error.name}: ${error.message}` : "unknown"}).`;
  const text = json
    ? JSON.stringify({ error: { message, ...(hint === undefined ? {} : { hint }) } })
    : terminalText(hint === undefined ? `toolkeep: ${message}` : `toolkeep: ${message}\n${hint}`);
  process.stderr.write(`${text}\n`);
  return error instanceof CommandError ? error.exit : EXIT.failure;
}

function usageError({ message }: CommanderError): CommandError {
  return new CommandError(`${message.replace(/^error: /, "").replace(/\.?$/, ".")}`, {
    exit: EXIT.usage,
    hint: "`--help` after a command says what it takes.",
  });
}
