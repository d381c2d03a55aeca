import { CommandError } from "../terminal/command-error.ts";
import type { InstallClientName, OwnCommand } from "./install-client.ts";
import type { InstallRecord, InstallTarget } from "./install-record.ts";
import type { InstallPlan } from "./plan-install.ts";

export interface Installation {
  readonly client: InstallClientName;
  readonly own: OwnCommand;
  readonly single: boolean;
  readonly plan: InstallPlan;
}

/** Does what was planned. What was there is kept first, then the record is written, then the files. */
export async function applyInstall(installation: Installation, place: InstallTarget): Promise<void> {
  const { client, own, single, plan } = installation;
  const { files, records } = place;
  for (const [index, { before, textAfter, path }] of plan.files.entries()) {
    const now = await files.read(path);
    if (now?.hash !== before?.hash) throw changedMeanwhile(path);
    if (now !== undefined) await records.keepCopy({ client, index, which: "before", bytes: now.bytes });
    await records.keepCopy({ client, index, which: "after", bytes: Buffer.from(textAfter) });
  }
  await records.keepServers(client, plan.moved);
  const record: InstallRecord = {
    version: 1,
    project: files.root,
    client,
    own,
    single,
    state: "writing",
    files: plan.files.map(({ textBefore: _, textAfter: __, ...file }) => file),
    folders: plan.folders,
    servers: [...plan.moved.keys()],
  };
  await records.write(record);
  await finishInstall(record, place);
}

/** A file that an interrupted installation has not written yet. */
export interface UnwrittenFile {
  readonly path: string;
  readonly mode: number;
  readonly textBefore: string;
  readonly bytesAfter: Buffer;
}

/**
 * What an installation would still write. Changes nothing.
 * @throws CommandFault if somebody changed a file meanwhile.
 */
export async function unwritten(
  { client, files: recorded }: InstallRecord,
  { files, records }: InstallTarget,
): Promise<readonly UnwrittenFile[]> {
  const left: UnwrittenFile[] = [];
  for (const [index, { path, before, after }] of recorded.entries()) {
    const now = await files.read(path);
    if (now?.hash === after.hash) continue;
    if (now?.hash !== before?.hash) throw changedMeanwhile(path);
    const bytesAfter = await records.readCopy({ client, index, which: "after", hash: after.hash });
    left.push({ path, mode: after.mode, textBefore: now?.bytes.toString("utf8") ?? "", bytesAfter });
  }
  return left;
}

/**
 * Puts every file in place that is not yet. Also for an installation that was interrupted.
 * @throws CommandFault if somebody changed a file meanwhile.
 */
export async function finishInstall(record: InstallRecord, place: InstallTarget): Promise<void> {
  for (const { path, mode, bytesAfter } of await unwritten(record, place))
    await place.files.write({ path, bytes: bytesAfter, mode });
  await place.records.write({ ...record, state: "done" });
}

/** Whether every file is as the installation left it. */
export async function isAsLeft(record: InstallRecord, { files }: InstallTarget): Promise<boolean> {
  const found = await Promise.all(record.files.map(({ path }) => files.read(path)));
  return found.every((file, index) => file?.hash === record.files[index]?.after.hash);
}

function changedMeanwhile(path: string): CommandError {
  return new CommandError(`${path} was changed by somebody else meanwhile, so it is left alone.`, {
    hint: "Run the same command again; to go back, run `toolkeep uninstall`.",
  });
}
