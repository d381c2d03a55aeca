import { chooseServers } from "../gateway/choose-servers.ts";
import { effectsKnown } from "../gateway/effects-known.ts";
import { reportLines, reportRecord } from "../gateway/server-lines.ts";
import { withSource } from "../gateway/with-source.ts";
import { outsideGateway } from "../install/outside-gateway.ts";
import { projectFolder } from "../project/project-folder.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface ServersOptions extends CommonOptions {
  readonly project?: string;
}

/** `toolkeep servers`: what there is, in which state, and what is held back. Starts what was accepted. */
export async function serversCommand(options: ServersOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const chosen = await chooseServers(project);
  for (const note of [...chosen.diagnostics, ...(await outsideGateway(project))]) terminal.note(note);
  const reports = await withSource({ project, chosen }, async (source) => source.servers);
  terminal.show(
    reports.map((report) => reportRecord(report, effectsKnown(report.entry, chosen))),
    reports.flatMap((report) => reportLines(report, effectsKnown(report.entry, chosen))),
  );
  if (reports.length === 0) terminal.note("No servers are configured for this project.");
  return EXIT.ok;
}
