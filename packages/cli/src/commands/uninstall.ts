import { joinCommand } from "@toolkeep/core/internal";
import { containFolder, endPlace, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { clientCalled, INSTALL_CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { type InstallRecords, installTarget } from "../clients/installed/install-record.ts";
import { managedFolder } from "../clients/installed/managed-launcher.ts";
import { localCommand } from "../clients/installed/own-command.ts";
import { forgetRemovedHooks } from "../clients/installed/removed-hooks.ts";
import { counted, heldText } from "../contain/past-lines.ts";
import { diffLines } from "../install/diff-lines.ts";
import { CHANGE_FILES, type InstallOptions } from "../install/install-one.ts";
import { type ManagedUndo, managedUndo } from "../install/managed-install.ts";
import { forgetMoved } from "../install/moved-servers.ts";
import { applyUndo, hasConflicts, planUndo, type UndoneFile } from "../install/undo-install.ts";
import { setContaining } from "../project/contain/contained-projects.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep uninstall`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("uninstall", (command) => uninstall(optionsOf(command))).addArgument(
    choice("client", INSTALL_CLIENTS),
  );
}

type ChangeOptions = Pick<
  InstallOptions,
  "json" | "quiet" | "cwd" | "managed" | "yes" | "dryRun" | "project"
> & { readonly client?: string };

async function uninstall(options: ChangeOptions): Promise<number> {
  const client = clientCalled(options.client);
  const terminal = openTerminal(options);
  if (options.managed === true) {
    const { plan, apply } = await managedUndo(client, localCommand());
    return undone({ client, plan, apply, from: "on this machine", above: "/" }, options, terminal);
  }
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const target = installTarget(root);
  const record = await target.records.read(client);
  if (record === undefined) {
    throw new CommandError(`Toolkeep is not installed for ${client} in ${root}.`, {
      hint: "Run the command in the project where you installed it, or name that with --project.",
    });
  }
  const plan = await planUndo(record, target);
  const kept = new Set(plan.handedOver.flatMap(({ file }) => file.edits.map(({ path }) => path[1])));
  const apply = async () => {
    await applyUndo(plan, target);
    await forgetRemovedHooks({ client, project: root });
    await forgetMoved(
      root,
      record.servers.filter((server) => !kept.has(server)),
    );
  };
  const originals = target.records.folder;
  const exit = await undone({ client, plan, apply, from: `in ${root}`, originals }, options, terminal);
  if (options.dryRun !== true) await uncontained(root, target.records, terminal);
  return exit;
}

/** With its last client a project is contained no more. What can be undone, and what is held, stays the user's. */
async function uncontained(root: string, records: InstallRecords, terminal: Terminal): Promise<void> {
  const left = await Promise.all(INSTALL_CLIENTS.map((name) => records.read(name).catch(() => undefined)));
  if (left.every((record) => record === undefined)) {
    await endPlace(containFolder(), root);
    await setContaining(root, false);
  }
  const { commands, folder } = await projectPast(containFolder(), root);
  if (commands.length === 0) return;
  const held = commands.filter((one) => one.held.length > 0).length;
  terminal.note(
    `Earlier versions and held changes of ${counted(commands.length, "contained command")} stay in ${folder}.${held === 0 ? "" : ` ${heldText(held)}`} To remove them: \`${joinCommand(["rm", "-rf", folder])}\`.`,
  );
}

interface Undone extends ManagedUndo {
  readonly client: InstallClientName;
  readonly from: string;
  /** Where the original files are. */
  readonly originals?: string;
  /** What the paths are below, if not the project. */
  readonly above?: string;
}

async function undone(
  { client, plan, apply, from, originals = `${managedFolder()}/install`, above = "" }: Undone,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<number> {
  const named = plan.files.map((file) => ({ ...file, path: `${above}${file.path}` }));
  const diffs = named.map(({ path, textBefore: before, bytesAfter }) =>
    diffLines({ path, before, after: bytesAfter?.toString("utf8") ?? "" }),
  );
  const files = named.map(({ path, isExact, conflicts }) => ({ path, isExact, conflicts }));
  if (options.dryRun === true) {
    const changes = { files, diffs: diffs.map((one) => one.join("\n")) };
    terminal.show({ client, status: "not changed", ...changes }, diffs.flat());
    return EXIT.ok;
  }
  terminal.note(diffs.flat().join("\n"));
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  await apply();
  terminal.show({ client, status: "uninstalled", files }, [
    `Uninstalled for ${client} ${from}.`,
    ...named.flatMap(undoneLines),
    ...(hasConflicts(plan.files) ? [`The original files are in ${originals}.`] : []),
  ]);
  return EXIT.ok;
}

function undoneLines({ path, isExact, conflicts }: UndoneFile): readonly string[] {
  if (isExact) return [`${path}: restored.`];
  return [
    `${path}: the file was edited since, so only Toolkeep's own changes were removed.`,
    ...conflicts.map((one) => `  ${one}`),
  ];
}
