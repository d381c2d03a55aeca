import { entryLines } from "../gateway/server-lines.ts";
import { acceptMoved, movedServers } from "../install/accept-moved.ts";
import { applyInstall, finishInstall, isAsLeft, unwritten } from "../install/apply-install.ts";
import { CHANGING_FILES } from "../install/changing-files.ts";
import { CLIENTS, clientCalled } from "../install/install-client.ts";
import { type InstallRecord, type InstallTarget, installTarget } from "../install/install-record.ts";
import { movedLines } from "../install/moved-lines.ts";
import { assertOutside, commandNotes, localCommand, publishedCommand } from "../install/own-command.ts";
import { type InstallPlan, planInstall } from "../install/plan-install.ts";
import { settingsNotes } from "../install/settings-notes.ts";
import { type ShownInstall, showInstall } from "../install/show-install.ts";
import { applyUndo, asUndone, hasLeft, planUndo } from "../install/undo-install.ts";
import { projectFolder } from "../project/project-folder.ts";
import { agreed } from "../terminal/agreed.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface InstallOptions extends CommonOptions {
  readonly single?: boolean;
  readonly npx?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
}

/** `toolkeep install CLIENT`. Nothing is written and nothing is accepted that was not shown and agreed to. */
export async function installCommand(name: string, options: InstallOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const place = installTarget(root);
  const record = await place.records.read(client);
  const own = options.npx === true ? publishedCommand() : localCommand();
  assertOutside(own, root);
  const wanted = { client, own, single: options.single === true };
  const step = await nextStep({ ...wanted, record }, place);
  if (step === undefined) {
    terminal.show({ client, status: "installed" }, [`${client} is installed already.`]);
    return EXIT.ok;
  }
  showInstall(step.shown, terminal);
  for (const note of [...commandNotes(own), ...(await settingsNotes(client, root))]) terminal.note(note);
  if (options.dryRun === true) return EXIT.ok;
  await agreed({ yes: options.yes, ...CHANGING_FILES }, terminal);
  await step.apply();
  const accepted = await acceptMoved(root, await movedServers(place.records.serversFile(client)));
  const files = step.shown.files.map(({ path }) => path);
  terminal.show({ client, status: "installed", files, accepted }, [
    `Installed for ${client} in ${root}.`,
    ...(accepted.length === 0 ? [] : [`Accepted as they are: ${accepted.join(", ")}.`]),
    `\`toolkeep uninstall ${client}\` puts everything back. What was there is kept in ${place.records.folder}.`,
  ]);
  return EXIT.ok;
}

interface Step {
  readonly shown: ShownInstall;
  apply(): Promise<void>;
}

type Wanted = Pick<InstallRecord, "client" | "own" | "single">;

/** What is to be done; `undefined` where everything is as it should be. */
async function nextStep(
  { record, ...wanted }: Wanted & { readonly record: InstallRecord | undefined },
  place: InstallTarget,
): Promise<Step | undefined> {
  if (record === undefined) {
    const plan = await planInstall({ ...wanted, client: CLIENTS[wanted.client] }, place.files);
    return { shown: shownPlan(plan), apply: () => applyInstall({ ...wanted, plan }, place) };
  }
  if (record.state === "writing") return goingOn(record, place);
  if (isSame(record, wanted) && (await isAsLeft(record, place))) return undefined;
  return installedAnew({ record, wanted }, place);
}

/**
 * The program has moved, is to be started in another way, or servers were added since: what was installed is taken
 * out, and installed again together with what is new. `uninstall` then gives back what was there without us.
 */
async function installedAnew(
  { record, wanted }: { readonly record: InstallRecord; readonly wanted: Wanted },
  place: InstallTarget,
): Promise<Step | undefined> {
  const undo = await planUndo(record, place);
  if (hasLeft(undo.files)) {
    throw new CommandError(`${record.client} is installed, and somebody changed what was written for it.`, {
      hint: `Run \`toolkeep uninstall ${record.client}\`, then install again.`,
    });
  }
  const plan = await planInstall({ ...wanted, client: CLIENTS[wanted.client] }, asUndone(undo, place));
  const now = new Map(undo.files.map(({ path, textBefore }) => [path, textBefore]));
  const files = plan.files
    .map((file) => ({ ...file, textBefore: now.get(file.path) ?? file.textBefore }))
    .filter(({ textBefore, textAfter }) => textBefore !== textAfter);
  if (files.length === 0 && isSame(record, wanted)) return undefined;
  return {
    shown: shownPlan({ ...plan, files }),
    async apply() {
      await applyUndo(undo, place);
      await applyInstall({ ...wanted, plan }, place);
    },
  };
}

async function goingOn(record: InstallRecord, place: InstallTarget): Promise<Step> {
  const files = await unwritten(record, place);
  const servers = await movedServers(place.records.serversFile(record.client));
  return {
    shown: {
      files: files.map(({ path, textBefore, bytesAfter }) => ({
        path,
        textBefore,
        textAfter: bytesAfter.toString("utf8"),
      })),
      notes: [
        "The last installation was interrupted; this is what is left of it.",
        ...servers.map((entry) => [`${entry.name}:`, ...entryLines(entry)].join("\n")),
      ],
      servers: servers.map(({ name }) => name),
    },
    apply: () => finishInstall(record, place),
  };
}

function shownPlan({ files, notes, moved }: InstallPlan): ShownInstall {
  const lines = [...moved].map(([name, written]) => movedLines(name, written).join("\n"));
  return { files, notes: [...notes, ...lines], servers: [...moved.keys()] };
}

function isSame(record: InstallRecord, { own, single }: Wanted): boolean {
  return record.single === single && JSON.stringify(record.own) === JSON.stringify(own);
}
