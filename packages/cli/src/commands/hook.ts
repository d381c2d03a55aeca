import type { Command } from "commander";
import { HOOK_CLIENTS, isHookClient } from "../clients/hook-call.ts";
import { answerInProcess } from "../hooks/answer/answer-in-process.ts";
import { blocked } from "../hooks/answer/blocked.ts";
import { inputDeadline, readInput, writeAnswer } from "../hooks/decider/hook-io.ts";
import { usageError } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import type { CommonOptions } from "../terminal/terminal.ts";

/** `toolkeep hook`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("hook", (command) => answerHook(optionsOf(command))).addArgument(
    choice("client", HOOK_CLIENTS),
  );
}

interface HookOptions extends CommonOptions {
  readonly client?: string;
  readonly project?: string;
  readonly policy?: string;
}

async function answerHook({ client, project, policy }: HookOptions): Promise<number> {
  if (client === undefined || !isHookClient(client)) {
    const what =
      client === undefined ? "The name of a client is missing." : `Unknown client ${JSON.stringify(client)}.`;
    throw usageError(what, `Use one of ${HOOK_CLIENTS.join(", ")}.`);
  }
  const late = inputDeadline();
  const text = await readInput();
  late[Symbol.dispose]();
  const request = { client, environment: process.env, folder: project, policyFile: policy };
  return writeAnswer(
    text === undefined ? blocked("its input is too large.") : await answerInProcess({ ...request, text }),
  );
}
