import { readConfig } from "@toolkeep/node";
import type { InstallClientName } from "../clients/install-client.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** Refuses a client that the administrator does not list: its hook would deny every call. @throws CommandError */
export async function assertClientAllowed(
  client: InstallClientName,
  machine: NonNullable<Parameters<typeof readConfig>[0]>,
): Promise<void> {
  const { config } = await readConfig(machine);
  const clients: readonly string[] | undefined = config?.clients;
  if (clients === undefined || clients.includes(client)) return;
  throw new CommandError(
    `Your administrator allows only these clients: ${clients.join(", ") || "none"}. Every call of ${client} would be denied.`,
    { exit: EXIT.denied, hint: `Ask your administrator to add ${JSON.stringify(client)} to \`clients\`.` },
  );
}
