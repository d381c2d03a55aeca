import { forgetMoved } from "../install/accept-moved.ts";
import { CHANGING_FILES } from "../install/changing-files.ts";
import { diffLines } from "../install/diff-lines.ts";
import { clientCalled } from "../install/install-client.ts";
import { installTarget } from "../install/install-record.ts";
import { applyUndo, hasLeft, planUndo, type UndoneFile, type UndoPlan } from "../install/undo-install.ts";
import { projectFolder } from "../project/project-folder.ts";
import { agreed } from "../terminal/agreed.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface UninstallOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly project?: string;
}

/** `toolkeep uninstall CLIENT`. */
export async function uninstallCommand(name: string, options: UninstallOptions): Promise<number> {
  const client = clientCalled(name);
  const terminal = openTerminal(options);
  const root = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const place = installTarget(root);
  const record = await place.records.read(client);
  if (record === undefined) {
    throw new CommandError(`Nothing is installed for ${client} in ${root}.`, {
      hint: "Run it in the project where you installed it, or name that with --project.",
    });
  }
  const plan = await planUndo(record, place);
  for (const { path, textBefore: before, bytesAfter } of plan.files)
    terminal.note(diffLines({ path, before, after: bytesAfter?.toString("utf8") ?? "" }).join("\n"));
  if (options.dryRun === true) return EXIT.ok;
  await agreed({ yes: options.yes, ...CHANGING_FILES }, terminal);
  await applyUndo(plan, place);
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
    [
      `Uninstalled for ${client} in ${root}.`,
      ...plan.files.flatMap(undoneLines),
      ...keptLines(plan, place.records.folder),
    ],
  );
  return EXIT.ok;
}

function keptLines({ files }: UndoPlan, folder: string): readonly string[] {
  return hasLeft(files) ? [`What was there before is kept in ${folder}.`] : [];
}

function undoneLines({ path, isExact, left }: UndoneFile) {
  if (isExact) return [`${path}: as it was.`];
  return [
    `${path}: somebody changed it since, so only our own changes were taken out.`,
    ...left.map((one) => `  ${one}`),
  ];
}
