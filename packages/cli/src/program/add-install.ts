import type { Command } from "commander";
import { INSTALL_CLIENTS } from "../install/install-client.ts";
import { type Done, optionsOf, projectOption, subcommand } from "./command-line.ts";

export function addInstall(parent: Command, done: Done): void {
  const clients = `<${INSTALL_CLIENTS.join("|")}>`;
  subcommand({
    parent,
    name: "install",
    description: "put the gateway and the hooks into a client's configuration",
  })
    .argument(clients, "the client")
    .option("--single", "one entry for all servers, instead of a wrapper for each")
    .option(
      "--npx",
      "start the published package through npx, which obeys the project, instead of this program",
    )
    .option("-y, --yes", "without asking")
    .option("--dry-run", "only show what would change")
    .addOption(projectOption())
    .action(async (client: string, _options, command: Command) => {
      const { installCommand } = await import("../commands/install.ts");
      done(await installCommand(client, optionsOf(command)));
    });
  subcommand({ parent, name: "uninstall", description: "put a client's configuration back as it was" })
    .argument(clients, "the client")
    .option("-y, --yes", "without asking")
    .option("--dry-run", "only show what would change")
    .addOption(projectOption())
    .action(async (client: string, _options, command: Command) => {
      const { uninstallCommand } = await import("../commands/uninstall.ts");
      done(await uninstallCommand(client, optionsOf(command)));
    });
}
