import { CLIENTS, type InstallClientName } from "../clients/install-client.ts";
import { installTarget } from "../clients/installed/install-record.ts";
import { writeLauncher } from "../clients/installed/launcher.ts";
import {
  assertOutside,
  installedCommand,
  localCommand,
  publishedCommand,
} from "../clients/installed/own-command.ts";
import { forgetRemovedHooks } from "../clients/installed/removed-hooks.ts";
import { projectFolder } from "../project/project-folder.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { assertConfinable } from "./confine-notes.ts";
import { diffLines } from "./diff-lines.ts";
import { canTrustScripts, installNotes } from "./install-notes.ts";
import { nextStep, type ShownChanges, type Step } from "./install-step.ts";
import { managedStep } from "./managed-install.ts";
import { acceptMoved, movedServers } from "./moved-servers.ts";
import { summaryLines } from "./summary-lines.ts";
import { userServerNotes } from "./user-servers.ts";

export interface InstallOptions extends CommonOptions {
  readonly managed?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
  readonly single?: boolean;
  readonly npx?: boolean;
  /** False with `--no-trust`. */
  readonly trust?: boolean;
  readonly confine?: boolean;
  readonly shared?: boolean;
}

/** Installs for one client. Writes and accepts only what was shown and confirmed. */
export async function installOne(client: InstallClientName, options: InstallOptions): Promise<number> {
  if (options.managed === true) return installManaged(client, options);
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
  const servers = step?.shown.servers ?? record?.servers ?? [];
  const summarized = { clients: [client], servers, project: root, observes: false };
  if (step === undefined) {
    if (!isDry && options.npx !== true) await writeLauncher(program);
    if (!isDry) await forgetRemovedHooks({ client, project: root });
    const lines = await summaryLines(`Toolkeep is installed for ${client} already.`, summarized);
    terminal.show({ client, status: "installed" }, lines);
    return EXIT.ok;
  }
  const notes = [
    ...(await installNotes({ client, own: program, project: root, trustsScripts, confines })),
    ...(await userServerNotes(root)),
  ];
  const last = isDry
    ? await summaryLines(`Nothing was changed: this would install for ${client}.`, summarized)
    : [];
  showStep(step, { client, notes, isDry, last }, terminal);
  if (isDry) return EXIT.ok;
  await confirmed({ yes: options.yes, ...CHANGE_FILES }, terminal);
  if (options.npx !== true) await writeLauncher(program);
  await step.apply();
  await forgetRemovedHooks({ client, project: root });
  const accepted = await acceptMoved(root, await movedServers(target.records.serversFile(client)));
  const files = step.shown.files.map(({ path }) => path);
  terminal.show({ client, status: "installed", files, accepted }, [
    ...(accepted.length === 0 ? [] : [`Accepted in their current form: ${accepted.join(", ")}.`]),
    ...(CLIENTS[client].next === undefined ? [] : [CLIENTS[client].next]),
    `The original files are in ${target.records.folder}.`,
    ...(await summaryLines(`Installed for ${client} in ${root}.`, summarized)),
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
  showStep(step, { client, notes: [], isDry, last: [] }, terminal);
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
  /** Follows the changes. */
  readonly last: readonly string[];
}

function showStep({ shown }: Step, { client, notes, isDry, last }: ShownStep, terminal: Terminal): void {
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
  terminal.show({ client, status: "not changed", ...changes }, [...lines, ...last]);
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

export const CHANGE_FILES = { question: "Change these files?", refused: "Nothing was changed." } as const;
