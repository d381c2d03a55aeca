import { readConfig } from "@toolkeep/node/internal";
import type { ApproverKeys } from "./bundle.ts";

/** The public keys of the people who can approve, as the administrator names them. */
export async function approverKeys(cwd: string): Promise<ApproverKeys> {
  const { config } = await readConfig({ cwd });
  const { approvers = {} } = (config ?? {}) as { readonly approvers?: Record<string, { keys: string[] }> };
  return Object.fromEntries(Object.entries(approvers).map(([name, { keys }]) => [name, keys]));
}
