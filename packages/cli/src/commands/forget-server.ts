import { acceptedServers } from "../project/accepted-servers.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface ForgetServerOptions extends CommonOptions {
  readonly name: string;
  readonly project?: string;
}

/** `toolkeep servers forget NAME`. */
export async function forgetServerCommand(options: ForgetServerOptions): Promise<number> {
  const { name } = options;
  const terminal = openTerminal(options);
  const known = acceptedServers();
  const owners = [await projectFolder({ project: options.project, cwd: terminal.cwd }), ""];
  const found = await Promise.all(owners.map((owner) => known.get(owner, name)));
  if (found.every((one) => one === undefined)) {
    throw new CommandError(`Nobody accepted a server ${JSON.stringify(name)} here.`, {
      hint: "`toolkeep servers` lists what there is.",
    });
  }
  for (const [index, owner] of owners.entries())
    if (found[index] !== undefined) await known.delete(owner, name);
  terminal.show({ name, status: "forgotten" }, [`${name} is forgotten; it is asked about again.`]);
  return EXIT.ok;
}
