import type { Command } from "commander";
import { type Done, optionsOf, projectOption, subcommand } from "./command-line.ts";

export function addServers(program: Command, done: Done): void {
  const parent = subcommand({
    parent: program,
    name: "servers",
    description: "MCP servers: what there is and what is held back",
  });
  const list = async (_options: unknown, command: Command) => {
    const { serversCommand } = await import("../commands/servers.ts");
    done(await serversCommand(optionsOf(command)));
  };
  parent.addOption(projectOption()).action(list);
  subcommand({ parent, name: "list", description: "the same" }).addOption(projectOption()).action(list);
  addConsent(parent, done);
  addLogins(parent, done);
}

function addConsent(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "accept",
    description: "let in a server, or tools of it that are held back",
  })
    .argument("<name>")
    .argument("[tools...]")
    .addOption(projectOption())
    .option("-y, --yes", "without asking")
    .action(async (name: string, tools: string[], _options, command: Command) => {
      const { acceptServerCommand } = await import("../commands/accept-server.ts");
      done(await acceptServerCommand({ ...optionsOf(command), name, tools }));
    });
  subcommand({ parent, name: "forget", description: "forget that a server was accepted" })
    .argument("<name>")
    .addOption(projectOption())
    .action(async (name: string, _options, command: Command) => {
      const { forgetServerCommand } = await import("../commands/forget-server.ts");
      done(await forgetServerCommand({ ...optionsOf(command), name }));
    });
}

function addLogins(parent: Command, done: Done): void {
  subcommand({ parent, name: "login", description: "log in to a server that wants to know who you are" })
    .argument("<name>")
    .addOption(projectOption())
    .option("-y, --yes", "without asking before the browser is opened")
    .action(async (name: string, _options, command: Command) => {
      const { loginCommand } = await import("../commands/login.ts");
      done(await loginCommand({ ...optionsOf(command), name }));
    });
  subcommand({ parent, name: "logout", description: "forget a login" })
    .argument("<name>", "the server, or its address where it is not configured any more")
    .addOption(projectOption())
    .action(async (name: string, _options, command: Command) => {
      const { logoutCommand } = await import("../commands/logout.ts");
      done(await logoutCommand({ ...optionsOf(command), name }));
    });
}
