import { hardDeadline } from "../hooks/hard-deadline.ts";
import { HOOK_CLIENTS, type HookAnswer, type HookClientName } from "../hooks/hook-call.ts";
import { blocked, runHook } from "../hooks/run-hook.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { CommonOptions } from "../terminal/terminal.ts";

export interface HookOptions extends CommonOptions {
  readonly project?: string;
  readonly policy?: string;
}

/** A client would wait longer, and let the call pass after that. */
const WATCHDOG_MS = 10_000;
/** For a thread that is too busy to hear the watchdog. Clients wait for 30 seconds. */
const HARD_MS = 15_000;
const MOST_BYTES = 32_000_000;

/** `toolkeep hook CLIENT`: reads the client's question on standard input and answers it on standard output. */
export async function hookCommand(client: string, { project, policy }: HookOptions): Promise<number> {
  if (!isClient(client)) {
    throw new CommandError(`There is no hook for ${JSON.stringify(client)}.`, {
      exit: EXIT.usage,
      hint: `Known are ${HOOK_CLIENTS.join(", ")}.`,
    });
  }
  const late = blocked(`it took longer than ${WATCHDOG_MS / 1_000} seconds.`);
  using _ = hardDeadline(HARD_MS, late.stderr);
  const watchdog = setTimeout(() => {
    say(late);
    process.exit(2);
  }, WATCHDOG_MS);
  try {
    const text = await readInput();
    const request = { client, environment: process.env, folder: project, policyFile: policy };
    return say(text === undefined ? blocked("its input is too large.") : await runHook({ ...request, text }));
  } finally {
    clearTimeout(watchdog);
  }
}

function isClient(name: string): name is HookClientName {
  return (HOOK_CLIENTS as readonly string[]).includes(name);
}

function say({ stdout, stderr, exitCode }: HookAnswer): number {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

/** `undefined` for more than anybody should send. */
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
