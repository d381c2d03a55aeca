import { join } from "node:path";
import { clientFor, type InstallClientName } from "../../../packages/cli/src/clients/install-client.ts";
import type { Shop } from "../hook/shop.ts";

/** The file of the user that `toolkeep init` writes for the project of a shop. */
export function userHooksFile(client: InstallClientName, { home, project }: Shop): string {
  const { hooks } = clientFor(client, project);
  if (hooks === undefined) throw new Error(`${client} has no hooks.`);
  return join(home, hooks.file.slice("~/".length));
}
