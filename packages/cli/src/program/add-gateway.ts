import type { Command } from "commander";
import { type Done, optionsOf, projectOption, subcommand } from "./command-line.ts";

export function addGateway(parent: Command, done: Done): void {
  subcommand({ parent, name: "gateway", description: "put MCP servers behind one governed endpoint" })
    .option("--server <names...>", "only these servers")
    .option("--wrap <name>", "one server, under its own tool names")
    .option("--http [port]", "on loopback over HTTP instead of standard streams")
    .option("--policy <file>", "a policy file instead of those that are configured")
    .option("--allow <patterns...>", "tools that need no question: a name, or mcp:server:tool")
    .addOption(projectOption("the folder to work in"))
    .option("--no-search", "list every tool, however many there are")
    .action(async (_options, command: Command) => {
      const { gatewayCommand } = await import("../commands/gateway.ts");
      done(await gatewayCommand(optionsOf(command)));
    });
}
