import type { Command } from "commander";
import { entryLines } from "../gateway/server-lines.ts";
import { applyInstall, finishInstall, isUnchanged, unwritten } from "../install/apply-install.ts";
import { assertConfinable } from "../install/confine-notes.ts";
import { diffLines } from "../install/diff-lines.ts";
import { CLIENTS, clientCalled, INSTALL_CLIENTS } from "../install/install-client.ts";
import { canTrustScripts, installNotes } from "../install/install-notes.ts";
import { type InstallRecord, type InstallTarget, installTarget } from "../install/install-record.ts";
import { acceptMoved, forgetMoved, movedLines, movedServers } from "../install/moved-servers.ts";
import { assertOutside, localCommand, publishedCommand } from "../install/own-command.ts";
import { type InstallPlan, planInstall } from "../install/plan-install.ts";
import { applyUndo, asUndone, hasConflicts, planUndo, type UndoneFile } from "../install/undo-install.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand, yesOption } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep install` and `uninstall`. */
export function add(parent: Command, done: Done): void {
  const clients = `<${INSTALL_CLIENTS.join("|")}>`;
  const dryRun = "show the changes without writing them";
  subcommand({
    parent,
    name: "install",
    description: "add the gateway and the hooks to a client's configuration",
  })
    .argument(clients, "the client")
    .option("--single", "add one entry for all servers instead of a wrapper for each")
    .option(
      "--npx",
      "start the published package through npx, which reads the project's .npmrc and node_modules",
    )
    .option("--no-trust", "do not trust the project's own scripts: its tests and builds still ask")
    .option("--confine", "run commands that the policy allows there in a sandbox (claude-code)")
    .addOption(yesOption())
    .option("--dry-run", dryRun)
    .addOption(projectOption())
    .action(async (client: string, _options, command: Command) =>
      done(await install(client, optionsOf(command))),
    );
  subcommand({ parent, name: "uninstall", description: "restore a client's configuration" })
    .argument(clients, "the client")
    .addOption(yesOption())
    .option("--dry-run", dryRun)
    .addOption(projectOption())
    .action(async (client: string, _options, command: Command) =>
      done(await uninstall(client, optionsOf(command))),
    );
}

interface ChangeOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
}

interface InstallOptions extends ChangeOptions {
  readonly single?: boolean;
  readonly npx?: boolean;
  /** False with `--no-trust`. */
  readonly trust?: boolean;
  readonly confine?: boolean;
}

/** Writes and accepts only what was shown and confirmed. */
async function install(name: string, options: InstallOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const target = installTarget(root);
  const record = await target.records.read(client);
  const own = options.npx === true ? publishedCommand() : localCommand();
  assertOutside(own, root);
  const confines = options.confine === true;
  if (confines) assertConfinable(client, own);
  const trustsScripts = options.trust !== false && canTrustScripts(client, root);
  const wanted = { client, own, single: options.single === true, trustsScripts, confines };
  const step = await nextStep({ ...wanted, record }, target);
  if (step === undefined) {
    terminal.show({ client, status: "installed" }, [`Toolkeep is installed for ${client} already.`]);
    return EXIT.ok;
  }
  showChanges(step.shown, terminal);
  const noted = { client, own, project: root, trustsScripts, confines };
  for (const note of await installNotes(noted)) terminal.note(note);
  const files = step.shown.files.map(({ path }) => path);
  if (options.dryRun === true) {
    terminal.show({ client, status: "not changed", files, accepted: step.shown.servers }, []);
    return EXIT.ok;
  }
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  await step.apply();
  const accepted = await acceptMoved(root, await movedServers(target.records.serversFile(client)));
  terminal.show({ client, status: "installed", files, accepted }, [
    `Installed for ${client} in ${root}.`,
    ...(accepted.length === 0 ? [] : [`Accepted in their current form: ${accepted.join(", ")}.`]),
    `Run \`toolkeep uninstall ${client}\` to restore the files. The originals are in ${target.records.folder}.`,
  ]);
  return EXIT.ok;
}

const CHANGE_FILES = { question: "Change these files?", refused: "Nothing was changed." } as const;

/** The changes that the user confirms. */
interface ShownChanges {
  readonly files: readonly {
    readonly path: string;
    readonly textBefore: string;
    readonly textAfter: string;
  }[];
  readonly notes: readonly string[];
  /** The servers that are accepted. */
  readonly servers: readonly string[];
}

function showChanges({ files, notes, servers }: ShownChanges, terminal: Terminal): void {
  for (const { path, textBefore, textAfter } of files)
    terminal.note(diffLines({ path, before: textBefore, after: textAfter }).join("\n"));
  for (const note of notes) terminal.note(note);
  if (servers.length > 0)
    terminal.note(`These servers move behind the gateway and are accepted: ${servers.join(", ")}.`);
  if (files.length === 0) terminal.note("No file needs to change.");
}

interface Step {
  readonly shown: ShownChanges;
  apply(): Promise<void>;
}

type Wanted = Pick<InstallRecord, "client" | "own" | "single"> & {
  readonly trustsScripts: boolean;
  readonly confines: boolean;
};

/** `undefined` if everything is installed as wanted. */
async function nextStep(
  { record, ...wanted }: Wanted & { readonly record: InstallRecord | undefined },
  target: InstallTarget,
): Promise<Step | undefined> {
  if (record === undefined) {
    const plan = await planInstall({ ...wanted, client: CLIENTS[wanted.client] }, target.files);
    return { shown: shownPlan(plan), apply: () => applyInstall({ ...wanted, plan }, target) };
  }
  if (record.state === "writing") return resumedInstall(record, target);
  if (isSame(record, wanted) && (await isUnchanged(record, target))) return undefined;
  return reinstalled({ record, wanted }, target);
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
  const plan = await planInstall({ ...wanted, client: CLIENTS[wanted.client] }, asUndone(undo, target));
  const now = new Map(undo.files.map(({ path, textBefore }) => [path, textBefore]));
  const files = plan.files
    .map((file) => ({ ...file, textBefore: now.get(file.path) ?? file.textBefore }))
    .filter(({ textBefore, textAfter }) => textBefore !== textAfter);
  if (files.length === 0 && isSame(record, wanted)) return undefined;
  return {
    shown: shownPlan({ ...plan, files }),
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

function shownPlan({ files, notes, moved }: InstallPlan): ShownChanges {
  const lines = [...moved].map(([name, written]) => movedLines(name, written).join("\n"));
  return { files, notes: [...notes, ...lines], servers: [...moved.keys()] };
}

function isSame(record: InstallRecord, { own, single, trustsScripts, confines }: Wanted): boolean {
  if (record.single !== single || (record.trustsScripts === true) !== trustsScripts) return false;
  if ((record.confines === true) !== confines) return false;
  return JSON.stringify(record.own) === JSON.stringify(own);
}

async function uninstall(name: string, options: ChangeOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const target = installTarget(root);
  const record = await target.records.read(client);
  if (record === undefined) {
    throw new CommandError(`Toolkeep is not installed for ${client} in ${root}.`, {
      hint: "Run the command in the project where you installed it, or name that with --project.",
    });
  }
  const plan = await planUndo(record, target);
  for (const { path, textBefore: before, bytesAfter } of plan.files)
    terminal.note(diffLines({ path, before, after: bytesAfter?.toString("utf8") ?? "" }).join("\n"));
  const files = plan.files.map(({ path, isExact, conflicts }) => ({ path, isExact, conflicts }));
  if (options.dryRun === true) {
    terminal.show({ client, status: "not changed", files }, []);
    return EXIT.ok;
  }
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  await applyUndo(plan, target);
  const kept = new Set(plan.handedOver.flatMap(({ file }) => file.edits.map(({ path }) => path[1])));
  await forgetMoved(
    root,
    record.servers.filter((server) => !kept.has(server)),
  );
  terminal.show({ client, status: "uninstalled", files }, [
    `Uninstalled for ${client} in ${root}.`,
    ...plan.files.flatMap(undoneLines),
    ...(hasConflicts(plan.files) ? [`The original files are in ${target.records.folder}.`] : []),
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
