import type { Command } from "commander";
import { CLIENTS, clientCalled, INSTALL_CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { installTarget } from "../clients/installed/install-record.ts";
import { installedProjects, projectLines } from "../clients/installed/installed-projects.ts";
import { writeLauncher } from "../clients/installed/launcher.ts";
import { managedFolder } from "../clients/installed/managed-launcher.ts";
import {
  assertOutside,
  installedCommand,
  localCommand,
  publishedCommand,
} from "../clients/installed/own-command.ts";
import { forgetRemovedHooks } from "../clients/installed/removed-hooks.ts";
import { assertConfinable } from "../install/confine-notes.ts";
import { diffLines } from "../install/diff-lines.ts";
import { canTrustScripts, installNotes } from "../install/install-notes.ts";
import { nextStep, type ShownChanges, type Step } from "../install/install-step.ts";
import { type ManagedUndo, managedStep, managedUndo } from "../install/managed-install.ts";
import { acceptMoved, forgetMoved, movedServers } from "../install/moved-servers.ts";
import { applyUndo, hasConflicts, planUndo, type UndoneFile } from "../install/undo-install.ts";
import { userServerNotes } from "../install/user-servers.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand, yesOption } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

const MANAGED = "as root: for all users of this machine, in the client's managed settings";

/** `toolkeep install` and `uninstall`. */
export function add(parent: Command, done: Done): void {
  const names = INSTALL_CLIENTS.join("|");
  const dryRun = "show the changes without writing them";
  subcommand({
    parent,
    name: "install",
    description: "add the gateway and the hooks to a client's configuration",
  })
    .argument(`[${names}]`, "the client")
    .option("--list", "list the projects where Toolkeep is installed")
    .option("--single", "add one entry for all servers instead of a wrapper for each")
    .option(
      "--npx",
      "start the published package through npx, which reads the project's .npmrc and node_modules",
    )
    .option("--no-trust", "do not trust the project's own scripts: its tests and builds still ask")
    .option("--shared", "also change files that git tracks, where the client has none that is only yours")
    .option("--confine", "run commands that the policy allows there in a sandbox")
    .option("--managed", MANAGED)
    .addOption(yesOption())
    .option("--dry-run", dryRun)
    .addOption(projectOption())
    .action(async (client: string | undefined, _options, command: Command) =>
      done(await installOrList(client, optionsOf(command))),
    );
  subcommand({ parent, name: "uninstall", description: "restore a client's configuration" })
    .argument(`<${names}>`, "the client")
    .option("--managed", MANAGED)
    .addOption(yesOption())
    .option("--dry-run", dryRun)
    .addOption(projectOption())
    .action(async (client: string, _options, command: Command) =>
      done(await uninstall(client, optionsOf(command))),
    );
}

interface ChangeOptions extends CommonOptions {
  readonly managed?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
}

interface InstallOptions extends ChangeOptions {
  readonly list?: boolean;
  readonly single?: boolean;
  readonly npx?: boolean;
  /** False with `--no-trust`. */
  readonly trust?: boolean;
  readonly confine?: boolean;
  readonly shared?: boolean;
}

async function installOrList(name: string | undefined, options: InstallOptions): Promise<number> {
  if (options.list === true) {
    const projects = await installedProjects();
    openTerminal(options).show(projects, projectLines(projects));
    return EXIT.ok;
  }
  if (name !== undefined && options.managed === true) return installManaged(clientCalled(name), options);
  if (name !== undefined) return install(clientCalled(name), options);
  throw new CommandError("The name of a client is missing.", {
    exit: EXIT.usage,
    hint: `Use \`toolkeep install ${INSTALL_CLIENTS.join("|")}\`, or \`toolkeep install --list\` for the projects where Toolkeep is installed.`,
  });
}

/** Writes and accepts only what was shown and confirmed. */
async function install(client: InstallClientName, options: InstallOptions): Promise<number> {
  const terminal = openTerminal(options);
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const target = installTarget(root);
  const record = await target.records.read(client);
  const own = options.npx === true ? publishedCommand() : installedCommand();
  const program = options.npx === true ? own : localCommand();
  for (const command of [own, program]) assertOutside(command, root);
  const confines = options.confine === true;
  if (confines) assertConfinable(client, own);
  const trustsScripts = options.trust !== false && canTrustScripts(client, root);
  const shares = options.shared === true || record?.shares === true;
  const wanted = { client, own, single: options.single === true, trustsScripts, confines, shares };
  const step = await nextStep({ ...wanted, record }, target);
  const isDry = options.dryRun === true;
  if (step === undefined) {
    if (!isDry && options.npx !== true) await writeLauncher(program);
    if (!isDry) await forgetRemovedHooks({ client, project: root });
    terminal.show({ client, status: "installed" }, [`Toolkeep is installed for ${client} already.`]);
    return EXIT.ok;
  }
  const notes = [
    ...(await installNotes({ client, own: program, project: root, trustsScripts, confines })),
    ...(await userServerNotes(root)),
  ];
  showStep(step, { client, notes, isDry }, terminal);
  if (isDry) return EXIT.ok;
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  if (options.npx !== true) await writeLauncher(program);
  await step.apply();
  await forgetRemovedHooks({ client, project: root });
  const accepted = await acceptMoved(root, await movedServers(target.records.serversFile(client)));
  const files = step.shown.files.map(({ path }) => path);
  terminal.show({ client, status: "installed", files, accepted }, [
    `Installed for ${client} in ${root}.`,
    ...(accepted.length === 0 ? [] : [`Accepted in their current form: ${accepted.join(", ")}.`]),
    ...(CLIENTS[client].next === undefined ? [] : [CLIENTS[client].next]),
    `Run \`toolkeep uninstall ${client}\` to restore the files. The originals are in ${target.records.folder}.`,
  ]);
  return EXIT.ok;
}

async function installManaged(client: InstallClientName, options: InstallOptions): Promise<number> {
  const terminal = openTerminal(options);
  const step = await managedStep(client, localCommand());
  if (step === undefined) {
    terminal.show({ client, status: "installed" }, [`The managed hooks for ${client} are in place already.`]);
    return EXIT.ok;
  }
  const isDry = options.dryRun === true;
  showStep(step, { client, notes: [], isDry }, terminal);
  if (isDry) return EXIT.ok;
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  // Users of the machine read what is written.
  process.umask(0o022);
  await step.apply();
  terminal.show({ client, status: "installed", files: step.shown.files.map(({ path }) => path) }, [
    `Installed for ${client}, for all users of this machine.`,
    `Run \`toolkeep doctor\` as a user to try it, and \`toolkeep uninstall ${client} --managed\` to restore the files.`,
  ]);
  return EXIT.ok;
}

interface ShownStep {
  readonly client: InstallClientName;
  readonly notes: readonly string[];
  /** The changes are the result of the command, and not a question about them. */
  readonly isDry: boolean;
}

function showStep({ shown }: Step, { client, notes, isDry }: ShownStep, terminal: Terminal): void {
  const diffs = shown.files.map(({ path, textBefore, textAfter }) =>
    diffLines({ path, before: textBefore, after: textAfter }),
  );
  const lines = [...diffs.flat(), ...changeLines(shown)];
  if (!isDry) terminal.note(lines.join("\n"));
  for (const note of notes) terminal.note(note);
  if (!isDry) return;
  const changes = {
    files: shown.files.map(({ path }) => path),
    accepted: shown.servers,
    diffs: diffs.map((one) => one.join("\n")),
    notes: [...shown.notes, ...notes],
  };
  terminal.show({ client, status: "not changed", ...changes }, lines);
}

function changeLines({ files, notes, servers }: ShownChanges): readonly string[] {
  return [
    ...notes,
    ...(servers.length === 0
      ? []
      : [`These servers move behind the gateway and are accepted: ${servers.join(", ")}.`]),
    ...(files.length === 0 ? ["No file needs to change."] : []),
  ];
}

const CHANGE_FILES = { question: "Change these files?", refused: "Nothing was changed." } as const;

async function uninstall(name: string, options: ChangeOptions): Promise<number> {
  const client = clientCalled(name);
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
  return undone({ client, plan, apply, from: `in ${root}`, originals }, options, terminal);
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
