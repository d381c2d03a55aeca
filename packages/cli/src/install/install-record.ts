import { CommandFault } from "../terminal/command-fault.ts";
import { INSTALL_CLIENTS, type InstallClientName } from "./install-client.ts";
import type { JsonEdit } from "./json-edit.ts";
import { type FoundFile, hashOf, type ProjectFiles } from "./project-file.ts";

/** What was changed for a client, kept beside what was there before. Written before anything is changed. */
export interface InstallRecord {
  readonly version: 1;
  readonly client: InstallClientName;
  /** `writing` until every file is in place: then it can be gone on with, or taken back. */
  readonly state: "writing" | "done";
  readonly files: readonly RecordedFile[];
  /** Folders that were not there. */
  readonly folders: readonly string[];
  /** Servers that were moved. */
  readonly servers: readonly string[];
}

export interface RecordedFile {
  readonly path: string;
  /** Missing: there was none. */
  readonly before?: { readonly hash: string; readonly mode: number };
  readonly after: { readonly hash: string; readonly mode: number };
  readonly edits: readonly JsonEdit[];
}

export const INSTALL_FOLDER = ".toolkeep/install";

const recordPath = (client: InstallClientName) => `${INSTALL_FOLDER}/${client}.json`;
const copyPath = (client: InstallClientName, index: number, which: "before" | "after") =>
  `${INSTALL_FOLDER}/${client}.${index}.${which}`;

/** `undefined` where nothing was installed. @throws CommandFault for a record that cannot be read. */
export async function readRecord(
  files: ProjectFiles,
  client: InstallClientName,
): Promise<InstallRecord | undefined> {
  const found = await files.read(recordPath(client));
  if (found === undefined) return undefined;
  try {
    const record = JSON.parse(found.bytes.toString("utf8")) as InstallRecord;
    if (record.version === 1 && record.client === client && Array.isArray(record.files)) return record;
  } catch {
    // Said below.
  }
  throw new CommandFault(`${recordPath(client)} is broken, so nobody knows what was installed.`, {
    hint: `What was there before lies beside it, in files that end with .before. Put it back by hand, then remove ${INSTALL_FOLDER}.`,
  });
}

export async function writeRecord(files: ProjectFiles, record: InstallRecord): Promise<void> {
  await files.makePrivateFolder(INSTALL_FOLDER);
  await files.write(`${INSTALL_FOLDER}/.gitignore`, Buffer.from("*\n"), 0o600);
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  await files.write(recordPath(record.client), Buffer.from(text), 0o600);
}

export interface Copy {
  readonly client: InstallClientName;
  readonly index: number;
  readonly which: "before" | "after";
}

export async function keepCopy(files: ProjectFiles, copy: Copy, bytes: Uint8Array): Promise<void> {
  await files.makePrivateFolder(INSTALL_FOLDER);
  await files.write(copyPath(copy.client, copy.index, copy.which), bytes, 0o600);
}

/** The bytes that were kept. @throws CommandFault if they are not those that were. */
export async function readCopy(files: ProjectFiles, copy: Copy, hash: string): Promise<Buffer> {
  const path = copyPath(copy.client, copy.index, copy.which);
  const found: FoundFile | undefined = await files.read(path);
  if (found !== undefined && hashOf(found.bytes) === hash) return found.bytes;
  throw new CommandFault(`${path} is missing or was changed, so it cannot be put back.`, {
    hint: "Nothing was changed by this.",
  });
}

/**
 * Removes the record and its copies, and the folder with them if nobody else needs it. `keep`: what was there before
 * stays, for somebody to look at.
 */
export async function removeRecord(files: ProjectFiles, record: InstallRecord, keep: boolean): Promise<void> {
  await files.remove(recordPath(record.client));
  for (const index of record.files.keys()) {
    if (!keep) await files.remove(copyPath(record.client, index, "before"));
    await files.remove(copyPath(record.client, index, "after"));
  }
  if (keep) return;
  const others = INSTALL_CLIENTS.filter((client) => client !== record.client);
  const left = await Promise.all(others.map((client) => files.read(recordPath(client))));
  if (left.some((found) => found !== undefined)) return;
  await files.remove(`${INSTALL_FOLDER}/.gitignore`);
  await files.removeFolder(INSTALL_FOLDER);
}
