import { clientFor, INSTALL_CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { installTarget } from "../clients/installed/install-record.ts";
import { CommandError } from "../terminal/command-error.ts";
import { gitState } from "./git-state.ts";
import { planInstall } from "./plan-install.ts";

/** Notes about servers that were added to a client since the installation. The client starts them without the gateway. */
export async function outsideGateway(project: string): Promise<readonly string[]> {
  const notes = await Promise.all(INSTALL_CLIENTS.map((client) => notesOf(client, project)));
  return notes.flat();
}

async function notesOf(name: InstallClientName, project: string): Promise<readonly string[]> {
  const { files, records } = installTarget(project);
  try {
    const record = await records.read(name);
    if (record === undefined) return [];
    const client = clientFor(name, project);
    const { own, single, shares = false } = record;
    const git = gitState(project);
    const { moved } = await planInstall({ client, own, single, shares, project, git }, files);
    return [...moved.keys()].map(
      (server) =>
        `${server} in ${client.servers?.file} is not behind the gateway. Run \`toolkeep init ${name}\` again.`,
    );
  } catch (error) {
    if (error instanceof CommandError)
      return [`The installation for ${name} cannot be checked: ${error.message}`];
    throw error;
  }
}
