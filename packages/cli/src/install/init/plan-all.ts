import type { OwnCommand } from "../../clients/hook-line.ts";
import { CLIENTS, type InstallClientName } from "../../clients/install-client.ts";
import { type InstallTarget, installTarget } from "../../clients/installed/install-record.ts";
import { type FoundFile, hashOf, ProjectFiles } from "../../clients/installed/project-file.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { canTrustScripts } from "../install-notes.ts";
import { nextStep, type ShownChanges, type Step } from "../install-step.ts";

/** The files of a project as they are after some installations, none of which has been written. */
class PlannedFiles extends ProjectFiles {
  readonly #planned = new Map<string, FoundFile>();

  add({ files }: ShownChanges): void {
    for (const { path, textAfter } of files) {
      const bytes = Buffer.from(textAfter);
      this.#planned.set(path, { bytes, hash: hashOf(bytes), mode: 0o644 });
    }
  }

  override async read(path: string): Promise<FoundFile | undefined> {
    return this.#planned.get(path) ?? super.read(path);
  }
}

export interface AllWanted {
  readonly project: string;
  readonly own: OwnCommand;
  readonly clients: readonly InstallClientName[];
  /** Whether the project's own scripts are trusted. */
  readonly trusts: boolean;
  /** Whether commands run in the sandbox, for the clients that can do it. */
  readonly confines: boolean;
}

/** What the installation for one client changes, after those before it. */
export interface PlannedClient {
  readonly client: InstallClientName;
  readonly trustsScripts: boolean;
  readonly confines: boolean;
  /** Absent if it is installed already, or cannot be. */
  readonly shown?: ShownChanges;
  /** Why it cannot be installed. */
  readonly skipped?: string;
}

/** Plans the installations for several clients, each on top of those before it. Writes nothing. */
export async function planAll(wanted: AllWanted): Promise<readonly PlannedClient[]> {
  const target = installTarget(wanted.project, PlannedFiles);
  const planned: PlannedClient[] = [];
  for (const client of wanted.clients) {
    const trustsScripts = wanted.trusts && canTrustScripts(client, wanted.project);
    const confines = wanted.confines && CLIENTS[client].canConfine === true;
    try {
      const shown = (await stepFor(client, wanted, target))?.shown;
      if (shown !== undefined && target.files instanceof PlannedFiles) target.files.add(shown);
      planned.push({ client, trustsScripts, confines, ...(shown === undefined ? {} : { shown }) });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const hint = error.hint === undefined ? "" : ` ${error.hint}`;
      planned.push({ client, trustsScripts, confines, skipped: `${error.message}${hint}` });
    }
  }
  return planned;
}

/** The next step of one installation, with the files as the target reads them. */
export async function stepFor(
  client: InstallClientName,
  { project, own, trusts, confines }: AllWanted,
  target: InstallTarget = installTarget(project),
): Promise<Step | undefined> {
  const record = await target.records.read(client);
  const trustsScripts = trusts && canTrustScripts(client, project);
  const kept = { single: record?.single === true, shares: record?.shares === true };
  const isConfined = record?.confines === true || (confines && CLIENTS[client].canConfine === true);
  return nextStep({ client, own, trustsScripts, confines: isConfined, ...kept, record }, target);
}

/** The changes of all installations together: each file once, from how it is to how it will be. */
export function combined(planned: readonly PlannedClient[]): ShownChanges["files"] {
  const files = new Map<string, ShownChanges["files"][number]>();
  for (const { path, textBefore, textAfter } of planned.flatMap(({ shown }) => shown?.files ?? []))
    files.set(path, { path, textBefore: files.get(path)?.textBefore ?? textBefore, textAfter });
  return [...files.values()];
}
