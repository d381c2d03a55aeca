import { CommandFault } from "../terminal/command-fault.ts";
import type { InstallClientName } from "./install-client.ts";
import { type InstallRecord, keepCopy, type RecordedFile, readCopy, writeRecord } from "./install-record.ts";
import type { InstallPlan } from "./plan-install.ts";
import type { ProjectFiles } from "./project-file.ts";

/** Does what was planned. What was there is kept first, then the record is written, then the files. */
export async function applyInstall(
  client: InstallClientName,
  plan: InstallPlan,
  files: ProjectFiles,
): Promise<void> {
  for (const [index, { before, textAfter, path }] of plan.files.entries()) {
    const now = await files.read(path);
    if (now?.hash !== before?.hash) throw changedMeanwhile(path);
    if (now !== undefined) await keepCopy(files, { client, index, which: "before" }, now.bytes);
    await keepCopy(files, { client, index, which: "after" }, Buffer.from(textAfter));
  }
  const record: InstallRecord = {
    version: 1,
    client,
    state: "writing",
    files: plan.files.map(({ textBefore: _, textAfter: __, ...file }) => file),
    folders: plan.folders,
    servers: plan.servers,
  };
  await writeRecord(files, record);
  await finishInstall(record, files);
}

/**
 * Puts every file in place that is not yet. Also for an installation that was interrupted.
 * @throws CommandFault if somebody changed a file meanwhile.
 */
export async function finishInstall(record: InstallRecord, files: ProjectFiles): Promise<void> {
  for (const [index, file] of record.files.entries()) {
    const now = await files.read(file.path);
    if (now?.hash === file.after.hash) continue;
    if (now?.hash !== file.before?.hash) throw changedMeanwhile(file.path);
    const bytes = await readCopy(files, { client: record.client, index, which: "after" }, file.after.hash);
    await files.write(file.path, bytes, file.after.mode);
  }
  await writeRecord(files, { ...record, state: "done" });
}

/** Whether every file is as the installation left it. */
export async function isAsLeft(record: InstallRecord, files: ProjectFiles): Promise<boolean> {
  const found = await Promise.all(record.files.map(({ path }: RecordedFile) => files.read(path)));
  return found.every((file, index) => file?.hash === record.files[index]?.after.hash);
}

function changedMeanwhile(path: string): CommandFault {
  return new CommandFault(`${path} was changed by somebody else meanwhile, so it is left alone.`, {
    hint: "Run the same command again; to go back, run `toolkeep uninstall`.",
  });
}
