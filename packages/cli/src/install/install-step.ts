import { clientFor } from "../clients/install-client.ts";
import type { InstallRecord, InstallTarget } from "../clients/installed/install-record.ts";
import { CommandError } from "../terminal/command-error.ts";
import { entryLines } from "../tools/servers/server-lines.ts";
import { applyInstall, finishInstall, unwritten } from "./apply-install.ts";
import { assertClientAllowed } from "./assert-client-allowed.ts";
import { gitState } from "./git-state.ts";
import { movedLines, movedServers, refusedMoves } from "./moved-servers.ts";
import { type InstallPlan, type PlanOptions, planInstall } from "./plan-install.ts";
import { applyUndo, asUndone, hasConflicts, planUndo } from "./undo-install.ts";

/** The changes that the user confirms. */
export interface ShownChanges {
  readonly files: readonly {
    readonly path: string;
    readonly textBefore: string;
    readonly textAfter: string;
  }[];
  readonly notes: readonly string[];
  /** The servers that are accepted. */
  readonly servers: readonly string[];
}

/** What an installation does next. */
export interface Step {
  readonly shown: ShownChanges;
  apply(): Promise<void>;
}

export type Wanted = Pick<InstallRecord, "client" | "own" | "single"> & {
  readonly trustsScripts: boolean;
  readonly confines: boolean;
  readonly shares: boolean;
};

/** `undefined` if everything is installed as wanted. @throws CommandError for a client that may not be used. */
export async function nextStep(
  { record, ...wanted }: Wanted & { readonly record: InstallRecord | undefined },
  target: InstallTarget,
  machine: { readonly managed?: string } = {},
): Promise<Step | undefined> {
  await assertClientAllowed(wanted.client, { cwd: target.files.root, ...machine });
  if (record === undefined) {
    const plan = await planInstall(planOptions(wanted, target), target.files);
    return { shown: await shownPlan(plan, target), apply: () => applyInstall({ ...wanted, plan }, target) };
  }
  if (record.state === "writing") return resumedInstall(record, target);
  return reinstalled({ record, wanted }, target);
}

function planOptions(
  { client: name, own, single, shares }: Wanted,
  { files: { root } }: InstallTarget,
  record?: InstallRecord,
): PlanOptions {
  const client = clientFor(name, root);
  const isHidden = record?.files.some(({ path }) => path === client.hooks?.ignoreFile) === true;
  return { client, own, single, shares, project: root, git: gitState(root), isHidden };
}

/**
 * The program has moved, is to be started in another way, or servers were added: removes the installation and
 * installs again with the new servers, so that `uninstall` restores the files without any of our changes.
 */
async function reinstalled(
  { record, wanted }: { readonly record: InstallRecord; readonly wanted: Wanted },
  target: InstallTarget,
): Promise<Step | undefined> {
  const undo = await planUndo(record, target);
  if (hasConflicts(undo.files)) {
    throw new CommandError(`Toolkeep is installed for ${record.client}, and its entries were edited since.`, {
      hint: `Run \`toolkeep uninstall ${record.client}\`, then install again.`,
    });
  }
  const plan = await planInstall(planOptions(wanted, target, record), asUndone(undo, target));
  const now = new Map(undo.files.map(({ path, textBefore }) => [path, textBefore]));
  const planned = plan.files.map((file) => ({ ...file, textBefore: now.get(file.path) ?? file.textBefore }));
  // An earlier version wrote to other files.
  const restored = undo.files
    .filter(({ path }) => !plan.files.some((file) => file.path === path))
    .map((file) => ({ ...file, textAfter: file.bytesAfter?.toString("utf8") ?? "" }));
  const files = [...restored, ...planned].filter(({ textBefore, textAfter }) => textBefore !== textAfter);
  if (files.length === 0 && isSame(record, wanted)) return undefined;
  return {
    shown: await shownPlan({ ...plan, files }, target),
    async apply() {
      await applyUndo(undo, target);
      await applyInstall({ ...wanted, plan }, target);
    },
  };
}

async function resumedInstall(record: InstallRecord, target: InstallTarget): Promise<Step> {
  const files = await unwritten(record, target);
  const servers = await movedServers(target.records.serversFile(record.client));
  return {
    shown: {
      files: files.map(({ path, textBefore, bytesAfter }) => ({
        path,
        textBefore,
        textAfter: bytesAfter.toString("utf8"),
      })),
      notes: [
        "The last installation was interrupted. These are its remaining changes.",
        ...servers.map((entry) => [`${entry.name}:`, ...entryLines(entry)].join("\n")),
      ],
      servers: servers.map(({ name }) => name),
    },
    apply: () => finishInstall(record, target),
  };
}

type ShownPlan = Pick<InstallPlan, "notes" | "moved"> & Pick<ShownChanges, "files">;

async function shownPlan({ files, notes, moved }: ShownPlan, target: InstallTarget): Promise<ShownChanges> {
  const refused = await refusedMoves(target.files.root, moved);
  const lines = [...moved].map(([name, written]) => movedLines(name, written).join("\n"));
  return {
    files,
    notes: [...notes, ...lines, ...refused.values()],
    servers: [...moved.keys()].filter((name) => !refused.has(name)),
  };
}

function isSame(record: InstallRecord, { own, single, trustsScripts, confines, shares }: Wanted): boolean {
  if (record.single !== single || (record.trustsScripts === true) !== trustsScripts) return false;
  if ((record.confines === true) !== confines || (record.shares === true) !== shares) return false;
  return JSON.stringify(record.own) === JSON.stringify(own);
}
