import type { Command } from "commander";
import { hardDeadline } from "../hooks/hard-deadline.ts";
import { HOOK_CLIENTS, type HookAnswer, type HookClientName } from "../hooks/hook-call.ts";
import { blocked, runHook } from "../hooks/run-hook.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, policyOption, projectOption, subcommand } from "../terminal/command-line.ts";
import type { CommonOptions } from "../terminal/terminal.ts";

/** `toolkeep hook`. */
export function add(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "hook",
    description: "answer a client's hook, from standard input to standard output",
  })
    .argument(`<${HOOK_CLIENTS.join("|")}>`, "the client that calls the hook")
    .addOption(projectOption("the project directory (default: the one that the client names)"))
    .addOption(policyOption())
    .action(async (client: string, _options, command: Command) =>
      done(await answerHook(client, optionsOf(command))),
    );
}

interface HookOptions extends CommonOptions {
  readonly project?: string;
  readonly policy?: string;
}

/** Clients wait longer, and then let the call pass. */
const TIMEOUT_MS = 10_000;
/** For a thread that is too busy to run the timer. Clients wait for 30 seconds. */
const HARD_MS = 15_000;
const MOST_BYTES = 32_000_000;

async function answerHook(client: string, { project, policy }: HookOptions): Promise<number> {
  if (!isClient(client)) {
    throw new CommandError(`Unknown client ${JSON.stringify(client)}.`, {
      exit: EXIT.usage,
      hint: `Use one of ${HOOK_CLIENTS.join(", ")}.`,
    });
  }
  const late = blocked(`it took longer than ${TIMEOUT_MS / 1_000} seconds.`);
  using _ = hardDeadline(HARD_MS, late.stderr);
  const timer = setTimeout(() => {
    write(late);
    process.exit(2);
  }, TIMEOUT_MS);
  try {
    const text = await readInput();
    const request = { client, environment: process.env, folder: project, policyFile: policy };
    return write(
      text === undefined ? blocked("its input is too large.") : await runHook({ ...request, text }),
    );
  } finally {
    clearTimeout(timer);
  }
}

function isClient(name: string): name is HookClientName {
  return (HOOK_CLIENTS as readonly string[]).includes(name);
}

function write({ stdout, stderr, exitCode }: HookAnswer): number {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

/** `undefined` if the input is too large. */
async function readInput(): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
