import type { OwnCommand } from "../clients/hook-line.ts";
import type { InstallClientName } from "../clients/install-client.ts";
import type { InstallRecord, InstallTarget } from "../clients/installed/install-record.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { InstallPlan } from "./plan-install.ts";

export interface Installation {
  readonly client: InstallClientName;
  readonly own: OwnCommand;
  readonly single: boolean;
  /** Default: false. */
  readonly trustsScripts?: boolean;
  /** Default: false. */
  readonly confines?: boolean;
  /** Default: false. */
  readonly shares?: boolean;
  readonly plan: InstallPlan;
}

/** Applies a plan: copies the original files, then writes the record, then the files. */
export async function applyInstall(installation: Installation, target: InstallTarget): Promise<void> {
  const { client, own, single, trustsScripts = false, confines = false, shares = false, plan } = installation;
  const { files, records } = target;
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
    trustsScripts,
    ...(confines ? { confines } : {}),
    ...(shares ? { shares } : {}),
  };
  await records.write(record);
  await finishInstall(record, target);
}

/** A file that an interrupted installation has not written yet. */
export interface UnwrittenFile {
  readonly path: string;
  readonly mode: number;
  readonly textBefore: string;
  readonly bytesAfter: Buffer;
}

/** The files that an installation has still to write. @throws CommandError if another program changed one meanwhile. */
export async function unwritten(
  { client, files: recorded }: InstallRecord,
  { files, records }: InstallTarget,
): Promise<readonly UnwrittenFile[]> {
  const missing: UnwrittenFile[] = [];
  for (const [index, { path, before, after }] of recorded.entries()) {
    const now = await files.read(path);
    if (now?.hash === after.hash) continue;
    if (now?.hash !== before?.hash) throw changedMeanwhile(path);
    const bytesAfter = await records.readCopy({ client, index, which: "after", hash: after.hash });
    missing.push({ path, mode: after.mode, textBefore: now?.bytes.toString("utf8") ?? "", bytesAfter });
  }
  return missing;
}

/** Writes what is left of an installation. @throws CommandError if another program changed a file meanwhile. */
export async function finishInstall(record: InstallRecord, target: InstallTarget): Promise<void> {
  for (const { path, mode, bytesAfter } of await unwritten(record, target))
    await target.files.write({ path, bytes: bytesAfter, mode });
  await target.records.write({ ...record, state: "done" });
}

function changedMeanwhile(path: string): CommandError {
  return new CommandError(`Another program changed ${path} meanwhile, so it is not written.`, {
    hint: "Run the command again, or run `toolkeep uninstall` to restore the files.",
  });
}
