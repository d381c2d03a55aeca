import type { HookCall, HookClientName, HookVerdict } from "../hooks/hook-call.ts";
import { INSTALL_CLIENTS, type OwnCommand } from "../install/install-client.ts";
import { InstallRecords } from "../install/install-record.ts";
import type { ConfinedContext } from "./confined-verdict.ts";

/** That the user chose to have commands confined, and how the program is started for them. */
export interface Confinement {
  readonly own: OwnCommand;
}

/**
 * The decision about a command that the user chose to have confined. `undefined`: it is decided as without confinement.
 * The code is loaded on demand, because most hooks are not about commands.
 */
export async function confined(
  call: HookCall,
  context: Omit<ConfinedContext, "confinement">,
): Promise<HookVerdict | undefined> {
  if (call.replaceable === undefined) return undefined;
  const confinement = await confinementOf(context.client, context.project.root);
  if (confinement === undefined) return undefined;
  const { confinedVerdict } = await import("./confined-verdict.ts");
  return confinedVerdict(call, { ...context, confinement });
}

/** The choice of an installation; `undefined` if commands run as the client runs them. */
async function confinementOf(client: HookClientName, project: string): Promise<Confinement | undefined> {
  const name = INSTALL_CLIENTS.find((one) => one === client);
  if (name === undefined) return undefined;
  const record = await new InstallRecords(project).read(name).catch(() => undefined);
  return record?.state === "done" && record.confines === true ? { own: record.own } : undefined;
}
