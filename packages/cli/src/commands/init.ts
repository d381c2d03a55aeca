import { defined, visible } from "@toolkeep/core/internal";
import type { Command } from "commander";
import type { AddedRules } from "../approvals/rules/add-rules.ts";
import { CLIENTS, clientCalled, INSTALL_CLIENTS } from "../clients/install-client.ts";
import { installedProjects, projectLines } from "../clients/installed/installed-projects.ts";
import { writeLauncher } from "../clients/installed/launcher.ts";
import { assertOutside, installedCommand, localCommand } from "../clients/installed/own-command.ts";
import { switchOn } from "../contain/switch.ts";
import { diffLines } from "../install/diff-lines.ts";
import { applyAll } from "../install/init/apply-all.ts";
import { type FoundClient, findClients } from "../install/init/found-clients.ts";
import { configFile, hasMode, setObserve } from "../install/init/observe-first.ts";
import { type AllWanted, combined, type PlannedClient, planAll } from "../install/init/plan-all.ts";
import { installNotes } from "../install/install-notes.ts";
import { type InstallOptions, installOne } from "../install/install-one.ts";
import { type Summarized, summaryLines } from "../install/summary-lines.ts";
import { userServerNotes } from "../install/user-servers.ts";
import { projectFolder } from "../project/project-folder.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep init`, and its old name for one client. */
export function add(program: Command, done: Done): void {
  const below = commandsOf(program, done);
  below("init", (command) => initOrList(optionsOf(command))).addArgument(
    choice("clients...", INSTALL_CLIENTS, "the clients (default: those that are found): "),
  );
  below("install", (command) => {
    const { client, ...options } = optionsOf<InitOptions & { readonly client?: string }>(command);
    if (client === undefined && options.list !== true) clientCalled(client);
    return initOrList({ ...options, clients: client === undefined ? [] : [client] });
  }).addArgument(choice("client", INSTALL_CLIENTS));
}

interface InitOptions extends InstallOptions {
  readonly clients: readonly string[];
  readonly list?: boolean;
  readonly observe?: boolean;
  readonly rules?: boolean;
  readonly contain?: boolean;
}

const FOR_ONE = ["single", "shared", "npx", "managed"] as const;

async function initOrList(options: InitOptions): Promise<number> {
  if (options.list === true) {
    const projects = await installedProjects();
    openTerminal(options).show(projects, projectLines(projects));
    return EXIT.ok;
  }
  const exit = await installed(options);
  if (exit !== EXIT.ok || options.contain !== true || options.dryRun === true) return exit;
  const terminal = openTerminal(options);
  await switchOn(await readProject({ cwd: terminal.cwd, folder: options.project }), terminal);
  terminal.note("Commands that match no rule run contained here. To end that: `toolkeep contain off`.");
  return exit;
}

async function installed(options: InitOptions): Promise<number> {
  const [client, ...more] = options.clients;
  const isForOne = client !== undefined && more.length === 0;
  if (isForOne && options.observe !== true && options.rules !== true)
    return installOne(clientCalled(client), options);
  const single = FOR_ONE.find((name) => options[name] === true);
  if (single === undefined) return init(options);
  throw usageError(
    `--${single} is for one client, without --observe and --rules.`,
    `Run \`toolkeep init CLIENT --${single}\`, where CLIENT is one of ${INSTALL_CLIENTS.join(", ")}.`,
  );
}

/** Writes and accepts only what was shown and confirmed. */
async function init(options: InitOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const own = installedCommand();
  for (const command of [own, localCommand()]) assertOutside(command, project);
  const found = await chosenClients(options.clients, project);
  const clients = found.map(({ client }) => client);
  const confines = options.confine === true;
  const wanted: AllWanted = { project, own, clients, trusts: options.trust !== false, confines };
  const planned = await planAll(wanted);
  const lines = [...changeLines(planned), ...overview(found, planned)];
  const notes = await notesOf(planned, project);
  const result = { project, clients: planned.map((one) => record(one, found)), notes };
  if (options.dryRun === true) {
    for (const note of notes) terminal.note(note);
    terminal.show({ ...result, status: "not changed", diffs: diffsOf(planned) }, [
      ...lines,
      ...(await lastLines(planned, { project, isDry: true, observes: options.observe === true })),
    ]);
    return EXIT.ok;
  }
  terminal.note([...changeLines(planned), ...notes, ...overview(found, planned)].join("\n"));
  const changes = planned.some(({ shown }) => shown !== undefined);
  if (changes)
    await confirmed({ question: "Make these changes?", yes: options.yes, refused: REFUSED }, terminal);
  const observes = await wantsObserve(options, terminal);
  await writeLauncher(localCommand());
  const installed = await applyAll(planned, wanted);
  const config = observes ? await setObserve() : undefined;
  const rules = await offeredRules(options, { project, terminal });
  terminal.show({ ...result, status: "installed", installed, ...defined({ observe: config, rules }) }, [
    ...doneLines(planned, config),
    ...ruleLines(rules),
    ...(await lastLines(planned, { project, isDry: false, observes })),
  ]);
  return EXIT.ok;
}

const REFUSED = "Nothing was changed.";

async function chosenClients(names: readonly string[], project: string): Promise<readonly FoundClient[]> {
  const found = await findClients(project);
  if (names.length === 0 && found.length === 0)
    throw new CommandError("No client was found here.", {
      hint: `Name one: \`toolkeep init ${INSTALL_CLIENTS.join("|")}\`.`,
    });
  if (names.length === 0) return found;
  return [...new Set(names.map(clientCalled))].map(
    (client) => found.find((one) => one.client === client) ?? { client, by: "project", path: "named by you" },
  );
}

/** One line for each client: where it was found, and what happens. */
function overview(found: readonly FoundClient[], planned: readonly PlannedClient[]): readonly string[] {
  const width = Math.max(...planned.map(({ client }) => client.length)) + 2;
  const where = Math.max(...found.map(({ path }) => path.length)) + 2;
  return planned.map(({ client, ...plan }, index) => {
    const path = visible(found[index]?.path ?? "").padEnd(where);
    return `  ${client.padEnd(width)}${path}${stateOf({ client, ...plan })}`;
  });
}

function stateOf({ client, shown, skipped }: PlannedClient): string {
  if (skipped !== undefined) return `skipped: ${visible(skipped)}`;
  if (shown === undefined) return "installed already";
  const hooks = CLIENTS[client].hooks === undefined ? [] : ["hooks"];
  const servers = shown.servers.length === 0 ? [] : [`servers ${visible(shown.servers.join(", "))}`];
  return [...hooks, ...servers].join(", ");
}

function diffsOf(planned: readonly PlannedClient[]): readonly string[] {
  return combined(planned).map(({ path, textBefore, textAfter }) =>
    diffLines({ path, before: textBefore, after: textAfter }).join("\n"),
  );
}

function changeLines(planned: readonly PlannedClient[]): readonly string[] {
  const servers = new Set(planned.flatMap(({ shown }) => shown?.servers ?? []));
  return [
    ...diffsOf(planned),
    ...new Set(planned.flatMap(({ shown }) => shown?.notes ?? [])),
    ...(servers.size === 0
      ? []
      : [`These servers move behind the gateway and are accepted: ${[...servers].join(", ")}.`]),
  ];
}

/** Each note once, although several clients have it. */
async function notesOf(planned: readonly PlannedClient[], project: string): Promise<readonly string[]> {
  const changing = planned.filter(({ shown }) => shown !== undefined);
  const trusts = changing.some(({ trustsScripts }) => trustsScripts);
  const notes = changing.map(({ client, confines }) =>
    installNotes({ client, own: localCommand(), project, trustsScripts: false, confines }),
  );
  const all = [...(await Promise.all(notes)).flat(), ...(await userServerNotes(project))];
  return [...(trusts ? [trustNote(project)] : []), ...new Set(all)];
}

const trustNote = (project: string) =>
  `This trusts the project's own scripts: agents run the tests, builds, linters, git hooks, scripts and programs of ${project} without asking, with your rights. Use --no-trust for a project that you do not trust.`;

function record({ client, shown, skipped }: PlannedClient, found: readonly FoundClient[]) {
  const path = found.find((one) => one.client === client)?.path;
  const state = skipped !== undefined ? "skipped" : shown === undefined ? "installed" : "new";
  return {
    ...{ client, found: path, state, files: shown?.files.map((one) => one.path) ?? [] },
    servers: shown?.servers ?? [],
    ...(skipped === undefined ? {} : { reason: skipped }),
  };
}

/** Offered at a terminal, where no mode is set. Never chosen by `--yes`. */
async function wantsObserve({ observe, yes }: InitOptions, terminal: Terminal): Promise<boolean> {
  if (observe === true) return true;
  if (yes === true || !terminal.isInteractive || (await hasMode())) return false;
  return terminal.confirm(
    `Begin in the mode observe? It records what would be stopped and stops nothing, in all your projects, until you remove \`mode\` from ${configFile()}.`,
  );
}

const RULES_QUESTION =
  "Look through your client history for rules that would remove most questions? Nothing is sent, and each rule is shown before it is added.";

/** Offered at a terminal, and never chosen by `--yes`. `undefined`: no rules were wanted. */
async function offeredRules(
  { rules, yes }: InitOptions,
  { project, terminal }: { readonly project: string; readonly terminal: Terminal },
): Promise<readonly AddedRules[] | undefined> {
  const { addOffered, hasHistories, rulesOfScan } = await import("../install/init/offer-rules.ts");
  const mayAsk = yes !== true && terminal.isInteractive && hasHistories();
  if (rules !== true && !(mayAsk && (await terminal.confirm(RULES_QUESTION)))) return undefined;
  terminal.note("Reading the histories…");
  const choices = await rulesOfScan(project);
  if (choices.length === 0) terminal.note("Your client history suggests no rules.");
  return addOffered({ choices, project, yes }, terminal);
}

function ruleLines(added: readonly AddedRules[] | undefined): readonly string[] {
  const [first] = added ?? [];
  if (first === undefined) return [];
  const count = added?.flatMap(({ rules }) => rules).length ?? 0;
  return [`${count} ${count === 1 ? "rule" : "rules"} of \`toolkeep scan\` added to ${first.file}.`];
}

function doneLines(planned: readonly PlannedClient[], config: string | undefined): readonly string[] {
  const next = changedIn(planned).flatMap((client) => CLIENTS[client].next ?? []);
  return [...observeLines(config), ...next];
}

const changedIn = (planned: readonly PlannedClient[]) =>
  planned.flatMap(({ client, shown }) => (shown === undefined ? [] : [client]));

interface LastLines extends Pick<Summarized, "project" | "observes"> {
  readonly isDry: boolean;
}

function lastLines(planned: readonly PlannedClient[], { isDry, ...rest }: LastLines) {
  const names = changedIn(planned).join(", ");
  const done = isDry ? `Nothing was changed: this would install for ${names}.` : `Installed for ${names}.`;
  const kept = planned.filter(({ skipped }) => skipped === undefined);
  return summaryLines(names === "" ? "Nothing needs to change." : done, {
    ...rest,
    clients: kept.map(({ client }) => client),
    servers: [...new Set(kept.flatMap(({ shown }) => shown?.servers ?? []))],
  });
}

function observeLines(config: string | undefined): readonly string[] {
  return config === undefined
    ? []
    : [`The mode observe is set in ${config}: nothing is stopped yet. Remove \`mode\` there to begin.`];
}
