import { joinCommand } from "@toolkeep/core/internal";
import type { InstallClientName } from "../../clients/install-client.ts";
import { findClients } from "../init/found-clients.ts";
import { type Finding, gap, note } from "./finding.ts";

/** Clients that are used here and have no hooks of ours. */
export async function checkClients(
  project: string,
  installed: readonly { readonly client: InstallClientName }[],
): Promise<readonly Finding[]> {
  const has = new Set(installed.map(({ client }) => client));
  const without = (await findClients(project)).filter(({ client }) => !has.has(client));
  const found = without.map(({ client, by, path }) => {
    const finding = {
      ...{ code: "client_unguarded", about: client, who: "you" as const },
      message:
        by === "user"
          ? `${path} is there, and Toolkeep is not installed for it here.`
          : `It is used here (${path}), and Toolkeep is not installed for it.`,
      fix: joinCommand(["toolkeep", "install", client, "--project", project]),
    };
    return by === "user" ? note(finding) : gap(finding);
  });
  if (installed.length > 0) return found;
  const message = `Toolkeep is not installed for any client in ${project}.`;
  const fix = joinCommand(["toolkeep", "init", "--project", project]);
  return [gap({ code: "not_installed", about: "project", who: "you", message, fix }), ...found];
}
