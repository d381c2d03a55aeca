import { createHash } from "node:crypto";
import { chmod, mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { directories } from "@toolkeep/node/internal";
import { CommandError } from "../../terminal/command-error.ts";
import type { OwnCommand } from "../hook-line.ts";
import { clientFor, filesOf, INSTALL_CLIENTS, type InstallClientName } from "../install-client.ts";
import type { JsonEdit } from "../json-edit.ts";
import { isUserPath, userFolders, userPath } from "../user-path.ts";
import { hashOf, ProjectFiles } from "./project-file.ts";

/** The changes of an installation for a client. Written before any file is changed. */
export interface InstallRecord {
  readonly version: 1;
  /** The canonical folder of the project. */
  readonly project: string;
  readonly client: InstallClientName;
  /** How the client starts this program. */
  readonly own: OwnCommand;
  /** One entry for all servers. */
  readonly single: boolean;
  /** `writing` until every file is written. Then the installation can be finished or undone. */
  readonly state: "writing" | "done";
  readonly files: readonly RecordedFile[];
  /** The folders that the installation creates. */
  readonly folders: readonly string[];
  /** The servers that were moved. */
  readonly servers: readonly string[];
  /** Whether the user trusted the project's own scripts with it. */
  readonly trustsScripts?: boolean;
  /** Whether the user chose to change files that git tracks. */
  readonly shares?: boolean;
  /** Whether the user chose that commands run in the sandbox. */
  readonly confines?: boolean;
}

export interface RecordedFile {
  readonly path: string;
  /** Absent if the file did not exist. */
  readonly before?: { readonly hash: string; readonly mode: number };
  readonly after: { readonly hash: string; readonly mode: number };
  readonly edits: readonly JsonEdit[];
}

/** A copy of a file before or after the installation. */
export interface Copy {
  readonly client: InstallClientName;
  readonly index: number;
  readonly which: "before" | "after";
}

/** The files of a project, and the records about them. */
export interface InstallTarget {
  readonly files: ProjectFiles;
  readonly records: InstallRecords;
}

/** @param Files How the files are read. Default: as they are. */
export function installTarget(project: string, Files = ProjectFiles): InstallTarget {
  const files = INSTALL_CLIENTS.flatMap((client) => filesOf(clientFor(client, project)).filter(isUserPath));
  const names = files.flatMap((file) => [file, ...userFolders(file)]);
  const elsewhere = new Map(names.map((name) => [name, userPath(name)]));
  return { files: new Files(project, elsewhere), records: new InstallRecords(project) };
}

/** The records of a project's installations, kept where its author cannot decide what is written. */
export class InstallRecords {
  readonly #project: string;
  readonly #managed: readonly string[] | undefined;
  /** The directory of the records and copies. */
  readonly folder: string;
  readonly #files: ProjectFiles;

  /** @param managed The folder and the files of a managed installation. Default: those of the user. */
  constructor(project: string, managed?: { readonly folder: string; readonly files: readonly string[] }) {
    const name = createHash("sha256").update(project).digest("hex").slice(0, 32);
    this.#project = project;
    this.#managed = managed?.files;
    this.folder = managed?.folder ?? join(directories().state, "install", name);
    this.#files = new ProjectFiles(this.folder);
  }

  /** `undefined` if nothing is installed. @throws CommandError for an invalid record. */
  async read(client: InstallClientName): Promise<InstallRecord | undefined> {
    const found = await this.#files.read(recordName(client));
    if (found === undefined) return undefined;
    const record = unlessThrown(() => JSON.parse(found.bytes.toString("utf8")) as InstallRecord);
    const isOurs = record?.version === 1 && record.client === client && record.project === this.#project;
    if (!isOurs || !Array.isArray(record.files)) {
      throw new CommandError(
        `${join(this.folder, recordName(client))} is invalid, so the installation cannot be undone.`,
        {
          hint: "The original files are in the same folder and end with .before. Restore them by hand, then remove the folder.",
        },
      );
    }
    const own = this.#managed ?? filesOf(clientFor(client, this.#project));
    const foreign = record.files.find(({ path }) => !own.includes(path));
    if (foreign === undefined) return record;
    throw new CommandError(
      `The record names ${JSON.stringify(foreign.path)}, which is not a file of this client.`,
      {
        hint: "Another program wrote the record. Nothing was changed.",
      },
    );
  }

  write(record: InstallRecord): Promise<void> {
    const text = `${JSON.stringify(record, undefined, 2)}\n`;
    return this.#keep(recordName(record.client), Buffer.from(text));
  }

  keepCopy({ bytes, ...copy }: Copy & { readonly bytes: Uint8Array }): Promise<void> {
    return this.#keep(copyName(copy), bytes);
  }

  /** The bytes of a copy. @throws CommandError if the copy is missing or was changed. */
  async readCopy({ hash, ...copy }: Copy & { readonly hash: string }): Promise<Buffer> {
    const found = await this.#files.read(copyName(copy));
    if (found !== undefined && hashOf(found.bytes) === hash) return found.bytes;
    throw new CommandError(
      `${join(this.folder, copyName(copy))} is missing or was changed, so it cannot be used.`,
      {
        hint: "Nothing was changed.",
      },
    );
  }

  /** Stores the servers as the user saw them. They are accepted from this copy, even if the project changes. */
  async keepServers(client: InstallClientName, moved: ReadonlyMap<string, unknown>): Promise<void> {
    const text = JSON.stringify({ mcpServers: Object.fromEntries(moved) }, undefined, 2);
    await this.#keep(serversName(client), Buffer.from(`${text}\n`));
  }

  serversFile(client: InstallClientName): string {
    return join(this.folder, serversName(client));
  }

  /** Removes the record and its copies. `keepsBefore`: keeps the original files for the user. */
  async remove({ client, files }: InstallRecord, keepsBefore: boolean): Promise<void> {
    await this.#files.remove(recordName(client));
    await this.#files.remove(serversName(client));
    for (const index of files.keys()) {
      if (!keepsBefore) await this.#files.remove(copyName({ client, index, which: "before" }));
      await this.#files.remove(copyName({ client, index, which: "after" }));
    }
    await rmdir(this.folder).catch(() => undefined);
  }

  async #keep(path: string, bytes: Uint8Array): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await chmod(this.folder, 0o700);
    await this.#files.write({ path, bytes, mode: 0o600 });
  }
}

/** Whether an installation of this user trusts a project's scripts. A record that cannot be read trusts nothing. */
export async function isTrustedByInstall(project: string): Promise<boolean> {
  const records = new InstallRecords(project);
  const found = await Promise.all(
    INSTALL_CLIENTS.map((client) => records.read(client).catch(() => undefined)),
  );
  return found.some((record) => record?.state === "done" && record.trustsScripts === true);
}

const recordName = (client: InstallClientName) => `${client}.json`;
const serversName = (client: InstallClientName) => `${client}.servers.json`;
const copyName = ({ client, index, which }: Copy) => `${client}.${index}.${which}`;
