import type { Command } from "commander";
import { HOOK_CLIENTS } from "../hooks/hook-call.ts";
import { type Done, optionsOf, projectOption, subcommand } from "./command-line.ts";

export function addHook(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "hook",
    description: "answer a client's hook: its question on standard input, the answer on standard output",
  })
    .argument(`<${HOOK_CLIENTS.join("|")}>`, "the client that asks")
    .addOption(projectOption("the project, whatever the client says"))
    .option("--policy <file>", "a policy file instead of those that are configured")
    .action(async (client: string, _options, command: Command) => {
      const { hookCommand } = await import("../commands/hook.ts");
      done(await hookCommand(client, optionsOf(command)));
    });
}
