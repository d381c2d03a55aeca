import { createHash } from "node:crypto";
import { chmod, mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";
import { CLIENTS, filesOf, type InstallClientName, type OwnCommand } from "./install-client.ts";
import type { JsonEdit } from "./json-edit.ts";
import { hashOf, ProjectFiles } from "./project-file.ts";

/** What was changed for a client, kept beside what was there before. Written before anything is changed. */
export interface InstallRecord {
  readonly version: 1;
  /** The canonical folder of the project. */
  readonly project: string;
  readonly client: InstallClientName;
  /** How this program is started by what was written. */
  readonly own: OwnCommand;
  /** One entry for all servers. */
  readonly single: boolean;
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

/** What was there before, or is to be there after. */
export interface Copy {
  readonly client: InstallClientName;
  readonly index: number;
  readonly which: "before" | "after";
}

/** Where an installation is done: the files of a project, and what is kept about them elsewhere. */
export interface InstallTarget {
  readonly files: ProjectFiles;
  readonly records: InstallRecords;
}

/** The place of a project, by its canonical folder. */
export function installTarget(project: string): InstallTarget {
  return { files: new ProjectFiles(project), records: new InstallRecords(project) };
}

/**
 * What was installed in one project. It lies in the user's own state folder and never in the project: whoever wrote
 * the project would otherwise say what is to be written where.
 */
export class InstallRecords {
  readonly #project: string;
  /** Where the records and the copies are. */
  readonly folder: string;
  readonly #files: ProjectFiles;

  constructor(project: string) {
    const name = createHash("sha256").update(project).digest("hex").slice(0, 32);
    this.#project = project;
    this.folder = join(directories().state, "install", name);
    this.#files = new ProjectFiles(this.folder);
  }

  /** `undefined` where nothing was installed. @throws CommandFault for a record that cannot be followed. */
  async read(client: InstallClientName): Promise<InstallRecord | undefined> {
    const found = await this.#files.read(recordName(client));
    if (found === undefined) return undefined;
    const record = parsedRecord(found.bytes.toString("utf8"));
    const isOurs = record?.version === 1 && record.client === client && record.project === this.#project;
    if (!isOurs || !Array.isArray(record.files)) {
      throw new CommandError(
        `${join(this.folder, recordName(client))} is broken, so nobody knows what was installed.`,
        {
          hint: "What was there before lies beside it, in files that end with .before. Put it back by hand, then remove the folder.",
        },
      );
    }
    const own = filesOf(CLIENTS[client]);
    const foreign = record.files.find(({ path }) => !own.includes(path));
    if (foreign === undefined) return record;
    throw new CommandError(
      `The record names ${JSON.stringify(foreign.path)}, which is no file of this client.`,
      {
        hint: "Somebody else wrote it. Nothing was changed.",
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

  /** The bytes that were kept. @throws CommandFault if they are not those that were. */
  async readCopy({ hash, ...copy }: Copy & { readonly hash: string }): Promise<Buffer> {
    const found = await this.#files.read(copyName(copy));
    if (found !== undefined && hashOf(found.bytes) === hash) return found.bytes;
    throw new CommandError(
      `${join(this.folder, copyName(copy))} is missing or was changed, so it cannot be used.`,
      {
        hint: "Nothing was changed by this.",
      },
    );
  }

  /** Keeps the servers as they were shown; they are accepted from here, whatever the project says by then. */
  async keepServers(client: InstallClientName, moved: ReadonlyMap<string, unknown>): Promise<void> {
    const text = JSON.stringify({ mcpServers: Object.fromEntries(moved) }, undefined, 2);
    await this.#keep(serversName(client), Buffer.from(`${text}\n`));
  }

  /** Where they are kept. */
  serversFile(client: InstallClientName): string {
    return join(this.folder, serversName(client));
  }

  /** Removes the record and its copies; `keepsBefore`: what was there before stays, for somebody to look at. */
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

const recordName = (client: InstallClientName) => `${client}.json`;
const serversName = (client: InstallClientName) => `${client}.servers.json`;
const copyName = ({ client, index, which }: Copy) => `${client}.${index}.${which}`;

function parsedRecord(text: string): InstallRecord | undefined {
  try {
    return JSON.parse(text) as InstallRecord;
  } catch {
    return undefined;
  }
}
