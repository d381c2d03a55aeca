import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findProject } from "@toolkeep/node";
import { acceptMoved, forgetMoved } from "../install/accept-moved.ts";
import { applyInstall, finishInstall, isAsLeft } from "../install/apply-install.ts";
import { diffLines } from "../install/diff-lines.ts";
import { CLIENTS, INSTALL_CLIENTS, type InstallClientName } from "../install/install-client.ts";
import { INSTALL_FOLDER, readRecord } from "../install/install-record.ts";
import { localCommand, publishedCommand } from "../install/own-command.ts";
import { type InstallPlan, planInstall } from "../install/plan-install.ts";
import { ProjectFiles } from "../install/project-file.ts";
import { applyUndo, hasLeft, planUndo, type UndoneFile, type UndoPlan } from "../install/undo-install.ts";
import { CommandFault, EXIT } from "../terminal/command-fault.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface InstallOptions extends CommonOptions {
  readonly single?: boolean;
  readonly local?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
}

/** `toolkeep install CLIENT`. */
export async function installCommand(name: string, options: InstallOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectOf(options);
  const files = new ProjectFiles(root);
  const record = await readRecord(files, client);
  if (record !== undefined) {
    if (record.state === "writing") {
      terminal.note("The last installation was interrupted; it is gone on with.");
      await finishInstall(record, files);
    } else if (!(await isAsLeft(record, files))) {
      throw new CommandFault(`${client} is installed, and its files were changed since.`, {
        hint: `Run \`toolkeep uninstall ${client}\`, then install again.`,
      });
    }
    await acceptMoved(root, record.servers);
    terminal.show({ client, status: "installed" }, [`${client} is installed already.`]);
    return EXIT.ok;
  }
  const own = options.local === true ? localCommand() : publishedCommand();
  const plan = await planInstall(CLIENTS[client], files, { own, single: options.single === true });
  showPlan(plan, terminal);
  if (options.dryRun === true) return EXIT.ok;
  await agreed(options, terminal);
  await applyInstall(client, plan, files);
  const accepted = await acceptMoved(root, plan.servers);
  terminal.show({ client, status: "installed", files: plan.files.map(({ path }) => path), accepted }, [
    `Installed for ${client} in ${root}.`,
    ...(accepted.length === 0 ? [] : [`Accepted as they are: ${accepted.join(", ")}.`]),
    `\`toolkeep uninstall ${client}\` puts everything back.`,
  ]);
  return EXIT.ok;
}

/** `toolkeep uninstall CLIENT`. */
export async function uninstallCommand(name: string, options: InstallOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectOf(options);
  const files = new ProjectFiles(root);
  const record = await readRecord(files, client);
  if (record === undefined) {
    throw new CommandFault(`Nothing is installed for ${client} in ${root}.`, {
      hint: "Run it in the project where you installed it, or name that with --project.",
    });
  }
  const plan = await planUndo(record, files);
  for (const { path, textBefore, bytesAfter } of plan.files)
    terminal.note(diffLines(path, textBefore, bytesAfter?.toString("utf8") ?? "").join("\n"));
  if (options.dryRun === true) return EXIT.ok;
  await agreed(options, terminal);
  await applyUndo(plan, files);
  const kept = new Set(plan.handedOver.flatMap(({ file }) => file.edits.map(({ path }) => path[1])));
  await forgetMoved(
    root,
    record.servers.filter((server) => !kept.has(server)),
  );
  terminal.show(
    {
      client,
      status: "uninstalled",
      files: plan.files.map(({ path, isExact, left }) => ({ path, isExact, left })),
    },
    [`Uninstalled for ${client} in ${root}.`, ...plan.files.flatMap(undoneLines), ...keptLines(plan)],
  );
  return EXIT.ok;
}

function keptLines({ files }: UndoPlan): readonly string[] {
  return hasLeft(files) ? [`What was there before is kept in ${INSTALL_FOLDER}.`] : [];
}

function undoneLines({ path, isExact, left }: UndoneFile) {
  if (isExact) return [`${path}: as it was.`];
  return [
    `${path}: somebody changed it since, so only our own changes were taken out.`,
    ...left.map((one) => `  ${one}`),
  ];
}

function showPlan({ files, notes, servers }: InstallPlan, terminal: Terminal): void {
  for (const { path, textBefore, textAfter } of files)
    terminal.note(diffLines(path, textBefore, textAfter).join("\n"));
  for (const note of notes) terminal.note(note);
  if (servers.length > 0)
    terminal.note(`These servers go behind the gateway and are accepted: ${servers.join(", ")}.`);
  if (files.length === 0) terminal.note("There is nothing to change.");
}

/** @throws CommandFault where nobody says yes. */
async function agreed({ yes }: InstallOptions, terminal: Terminal): Promise<void> {
  if (yes === true || (await terminal.confirm("Change these files?"))) return;
  if (!terminal.isInteractive) {
    throw new CommandFault("Nobody is there to be asked.", {
      exit: EXIT.needsApproval,
      hint: "Look at what --dry-run shows, then say --yes.",
    });
  }
  throw new CommandFault("Nothing was changed.", { exit: EXIT.denied });
}

function clientCalled(name: string): InstallClientName {
  const found = INSTALL_CLIENTS.find((client) => client === name);
  if (found !== undefined) return found;
  throw new CommandFault(`There is nothing to install for ${JSON.stringify(name)}.`, {
    exit: EXIT.usage,
    hint: `Known are ${INSTALL_CLIENTS.join(", ")}.`,
  });
}

async function projectOf({ project, cwd = process.cwd() }: InstallOptions): Promise<string> {
  return project === undefined ? findProject(cwd) : realpath(resolve(cwd, project));
}
