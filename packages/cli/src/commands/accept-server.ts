import type { McpSource, ServerReport, ToolInReview } from "@toolkeep/mcp";
import { chooseServers } from "../gateway/choose-servers.ts";
import { effectsKnown } from "../gateway/effects-known.ts";
import { entryLines, isReadable, reportLines, reportRecord, reviewLines } from "../gateway/server-lines.ts";
import { withSource } from "../gateway/with-source.ts";
import { projectFolder } from "../project/project-folder.ts";
import { agreed } from "../terminal/agreed.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface AcceptServerOptions extends CommonOptions {
  readonly name: string;
  /** None: the server itself. */
  readonly tools: readonly string[];
  readonly project?: string;
  readonly yes?: boolean;
}

/** `toolkeep servers accept NAME [TOOL…]`. */
export async function acceptServerCommand(options: AcceptServerOptions): Promise<number> {
  const { name, tools, yes } = options;
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const chosen = await chooseServers(project, [name]);
  return withSource({ project, chosen }, async (source) => {
    const report = source.servers[0];
    if (report === undefined) throw new CommandError(`The server ${name} is gone.`);
    const acceptance = { report, source, yes };
    if (tools.length === 0) await acceptServer(acceptance, terminal);
    else await acceptTools({ ...acceptance, tools }, terminal);
    const after = source.servers[0] ?? report;
    const effects = effectsKnown(after.entry, chosen);
    terminal.show(reportRecord(after, effects), reportLines(after, effects));
    return EXIT.ok;
  });
}

interface Acceptance {
  readonly report: ServerReport;
  readonly source: McpSource;
  readonly yes: boolean | undefined;
}

const REFUSED = { refused: "Nothing was accepted.", hint: "Look at it, then say --yes." };

async function acceptServer({ report, source, yes }: Acceptance, terminal: Terminal): Promise<void> {
  const { entry } = report;
  if (!isReadable(entry))
    throw new CommandError(
      `${entry.name} is started with more than can be shown, so it cannot be accepted.`,
      {
        exit: EXIT.denied,
        hint: `Put it into a script, and name that as \`command\` in ${entry.file ?? "its configuration"}.`,
      },
    );
  terminal.note([`${entry.name} would be started like this:`, ...entryLines(entry)].join("\n"));
  await agreed({ question: `Accept the server ${entry.name}?`, yes, ...REFUSED }, terminal);
  await source.accept(entry.name);
}

interface ToolAcceptance extends Acceptance {
  readonly tools: readonly string[];
}

/** What was shown is accepted, and not what a tool may say of itself by then. */
async function acceptTools({ report, source, yes, tools }: ToolAcceptance, terminal: Terminal) {
  const { name } = report.entry;
  const inReview = tools.map((tool) => toolInReview(tool, report));
  terminal.note(inReview.flatMap((one) => reviewLines(one)).join("\n"));
  const refused = inReview.find(({ why }) => why === "refused");
  if (refused !== undefined)
    throw new CommandError(`The tool ${refused.tool} is refused for good.`, { exit: EXIT.denied });
  await agreed({ question: `Accept ${tools.join(", ")} of ${name}?`, yes, ...REFUSED }, terminal);
  await source.accept(name, inReview);
}

function toolInReview(tool: string, { entry, inReview }: ServerReport): ToolInReview {
  const found = inReview.find((one) => one.tool === tool);
  if (found !== undefined) return found;
  throw new CommandError(`${entry.name} has no tool ${JSON.stringify(tool)} that is held back.`, {
    exit: EXIT.usage,
    hint: "`toolkeep servers` lists what is held back. A server must be accepted before its tools are seen.",
  });
}
