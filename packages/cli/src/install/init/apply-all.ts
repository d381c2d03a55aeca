import { isDeepStrictEqual } from "node:util";
import { installTarget } from "../../clients/installed/install-record.ts";
import { forgetRemovedHooks } from "../../clients/installed/removed-hooks.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { acceptMoved, movedServers } from "../moved-servers.ts";
import { type AllWanted, type PlannedClient, stepFor } from "./plan-all.ts";

/** What was installed for one client. */
export interface InstalledClient {
  readonly client: string;
  readonly files: readonly string[];
  /** The servers that were accepted. */
  readonly accepted: readonly string[];
}

/** Installs for one client after the other, and writes only what was planned. @throws CommandError if a file has changed. */
export async function applyAll(
  planned: readonly PlannedClient[],
  wanted: AllWanted,
): Promise<readonly InstalledClient[]> {
  const done: InstalledClient[] = [];
  for (const { client, shown } of planned) {
    if (shown === undefined) continue;
    const step = await stepFor(client, wanted);
    if (step === undefined || !isDeepStrictEqual(textsOf(step.shown), textsOf(shown)))
      throw new CommandError(`A file of ${client} was changed meanwhile, so nothing is written for it.`, {
        hint: "Run `toolkeep init` again.",
      });
    await step.apply();
    await forgetRemovedHooks({ client, project: wanted.project });
    const { records } = installTarget(wanted.project);
    const accepted = await acceptMoved(wanted.project, await movedServers(records.serversFile(client)));
    done.push({ client, files: shown.files.map(({ path }) => path), accepted });
  }
  return done;
}

function textsOf({ files, servers }: NonNullable<PlannedClient["shown"]>) {
  return {
    servers,
    files: files.map(({ path, textBefore, textAfter }) => ({ path, textBefore, textAfter })),
  };
}
