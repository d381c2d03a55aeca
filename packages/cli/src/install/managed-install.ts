import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRootOwned, readConfig, whyNotRoots } from "@toolkeep/node/internal";
import type { OwnCommand } from "../clients/hook-line.ts";
import { CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { InstallRecords, type InstallTarget } from "../clients/installed/install-record.ts";
import {
  managedFolder,
  managedLauncherPath,
  managedLauncherText,
  whyNotManaged,
} from "../clients/installed/managed-launcher.ts";
import { ProjectFiles } from "../clients/installed/project-file.ts";
import type { WantedEdit } from "../clients/json-edit.ts";
import { MANAGED_CLIENTS, managedFilesOf } from "../clients/managed-files.ts";
import { isManagedBy, withoutManaged } from "../project/managed-settings.ts";
import { invalidConfig } from "../project/read-project.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { applyInstall } from "./apply-install.ts";
import type { ShownChanges, Step } from "./install-step.ts";
import { planFile } from "./plan-install.ts";
import { applyUndo, asUndone, hasConflicts, planUndo, type UndoPlan } from "./undo-install.ts";

function targetFor(client: InstallClientName): InstallTarget {
  const { hooks, servers } = managedFilesOf(client);
  const files = [hooks, ...(servers === undefined ? [] : [servers])];
  const records = new InstallRecords("/", { folder: join(managedFolder(), "install"), files });
  return { files: new ProjectFiles("/"), records };
}

/** The names of the servers that the administrator lists. @throws CommandError where no managed policy decides. */
async function managedNames(): Promise<readonly string[]> {
  const reading = await readConfig({ cwd: "/" });
  if (reading.config === undefined) throw invalidConfig("nothing is installed", reading);
  if (!isManagedBy(reading)) throw withoutManaged();
  return Object.keys(reading.config.servers ?? {});
}

/**
 * The managed installation for a client: the launcher and the client's managed settings, for all users of the machine.
 * `undefined` if it is there already. @throws CommandError if a user could replace anything of it.
 */
export async function managedStep(client: InstallClientName, own: OwnCommand): Promise<Step | undefined> {
  const target = targetFor(client);
  assertRoot(`init ${client} --managed`, own);
  const names = await managedNames();
  assertRoots(client, own);
  const record = await target.records.read(client);
  const undo = record === undefined ? undefined : await planUndo(record, target);
  if (undo !== undefined && hasConflicts(undo.files))
    throw new CommandError(`The managed hooks for ${client} were edited since they were installed.`, {
      hint: `Run \`toolkeep uninstall ${client} --managed\`, then install again.`,
    });
  const source = undo === undefined ? target.files : asUndone(undo, target);
  const launcher: OwnCommand = [managedLauncherPath()];
  const edits = { ...hookEdits(client, launcher), ...serverEdits(client, names, launcher) };
  const files = await Promise.all(
    Object.entries(edits).map(async ([path, wanted]) =>
      planFile({ path, edits: wanted, newMode: undefined }, await source.read(path)),
    ),
  );
  const folders = await source.missing(files.map(({ path }) => dirname(path)));
  const shown = await shownFiles(files, target);
  const text = managedLauncherText(own);
  const before = (await target.files.read(launcher[0].slice(1)))?.bytes.toString("utf8") ?? "";
  if (
    undo !== undefined &&
    before === text &&
    shown.every(({ textBefore, textAfter }) => textBefore === textAfter)
  )
    return undefined;
  return {
    shown: {
      files: [{ path: launcher[0], textBefore: before, textAfter: text }, ...shown],
      ...{ notes: [], servers: [] },
    },
    async apply() {
      writeManagedLauncher(text);
      if (undo !== undefined) await applyUndo(undo, target);
      const plan = { files, folders: [...new Set(folders)], moved: new Map(), notes: [] };
      await applyInstall({ client, own: launcher, single: false, plan }, target);
    },
  };
}

async function shownFiles(
  files: readonly { readonly path: string; readonly textAfter: string }[],
  target: InstallTarget,
): Promise<ShownChanges["files"]> {
  return Promise.all(
    files.map(async ({ path, textAfter }) => {
      const textBefore = (await target.files.read(path))?.bytes.toString("utf8") ?? "";
      return { path: `/${path}`, textBefore, textAfter };
    }),
  );
}

type Edits = Readonly<Record<string, readonly WantedEdit[]>>;

function hookEdits(client: InstallClientName, launcher: OwnCommand): Edits {
  const only: WantedEdit = { kind: "set", path: ["allowManagedHooksOnly"], value: true };
  const edits = CLIENTS[client].hooks?.edits?.(launcher) ?? [];
  return { [managedFilesOf(client).hooks]: client === "claude-code" ? [...edits, only] : edits };
}

function serverEdits(client: InstallClientName, names: readonly string[], launcher: OwnCommand): Edits {
  const { servers } = managedFilesOf(client);
  if (servers === undefined || names.length === 0) return {};
  const edits = names.map((name): WantedEdit => {
    return {
      kind: "set",
      path: ["mcpServers", name],
      value: CLIENTS[client].entry(launcher, ["--wrap", name]),
    };
  });
  return { [servers]: edits };
}

/** The file, or the nearest folder above it that is there. */
function existing(file: string): string {
  const path = `/${file}`;
  return whyNotRoots(path)?.endsWith("does not exist") === true ? existing(dirname(path).slice(1)) : path;
}

function writeManagedLauncher(text: string): void {
  const path = managedLauncherPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o755, flag: "wx" });
  chmodSync(path, 0o755);
}

export interface ManagedUndo {
  readonly plan: UndoPlan;
  apply(): Promise<void>;
}

/** Restores the managed settings of a client. The launcher goes with the last one. */
export async function managedUndo(client: InstallClientName, own: OwnCommand): Promise<ManagedUndo> {
  const target = targetFor(client);
  assertRoot(`uninstall ${client} --managed`, own);
  const record = await target.records.read(client);
  if (record === undefined)
    throw new CommandError(`There is no managed installation for ${client} on this machine.`);
  const plan = await planUndo(record, target);
  return {
    plan,
    async apply() {
      await applyUndo(plan, target);
      const others = MANAGED_CLIENTS.filter((one) => one !== client);
      const left = await Promise.all(others.map((one) => targetFor(one).records.read(one)));
      if (left.every((one) => one === undefined) && !hasConflicts(plan.files))
        rmSync(managedLauncherPath(), { force: true });
    },
  };
}

function assertRoot(command: string, own: OwnCommand): void {
  if (process.platform === "win32") throw usageError("A managed installation is not possible on Windows.");
  if (process.getuid?.() === 0) return;
  const program = own.every((arg) => arg.startsWith("-") || isRootOwned(arg)) ? own.join(" ") : undefined;
  throw new CommandError("A managed installation is for all users of this machine, so only root can do it.", {
    exit: EXIT.denied,
    hint:
      program === undefined
        ? `Run \`sudo npm install -g toolkeep && sudo toolkeep ${command}\`.`
        : `Run \`sudo ${program} ${command}\`.`,
  });
}

/** @throws CommandError if another user than root could change what is started or written. */
function assertRoots(client: InstallClientName, own: OwnCommand): void {
  const why = whyNotManaged(own);
  if (why !== undefined) throw replaceable(why, programFix(client));
  const { hooks, servers = hooks } = managedFilesOf(client);
  for (const path of [managedFolder(), existing(hooks), existing(servers)]) {
    const open = whyNotRoots(path);
    if (open !== undefined) throw replaceable(open, `Run \`chown root: ${path} && chmod go-w ${path}\`.`);
  }
}

const programFix = (client: InstallClientName) =>
  `Install Node.js and Toolkeep as root, outside of home folders: \`sudo npm install -g toolkeep && sudo toolkeep init ${client} --managed\`.`;

function replaceable(why: string, hint: string): CommandError {
  const message = `Another user than root could replace what the managed hooks start: ${why}.`;
  return new CommandError(message, { exit: EXIT.denied, hint });
}
