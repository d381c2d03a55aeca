import type { Command } from "commander";
import { EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

interface ToolsOptions extends CommonOptions {
  readonly project?: string;
  readonly connect?: boolean;
}

/** `toolkeep tools` with `why`. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("tools", (command) => list(optionsOf(command)));
  commandsOf(parent, done)("why", (command) => why(optionsOf(command)));
}

async function gathered(options: ToolsOptions) {
  const terminal = openTerminal(options);
  const { readProject } = await import("../project/read-project.ts");
  const { gatherTools } = await import("../tools/listing/gather-tools.ts");
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  for (const note of project.notes) terminal.note(note);
  if (options.connect === true) terminal.note("Starting the accepted servers to list their tools…");
  return { terminal, list: await gatherTools(project, { isConnecting: options.connect === true }) };
}

async function list(options: ToolsOptions): Promise<number> {
  const { terminal, list: all } = await gathered(options);
  const { toolLines } = await import("../tools/listing/tool-lines.ts");
  terminal.show(all, toolLines(all));
  return EXIT.ok;
}

async function why(options: ToolsOptions & { readonly name: string }): Promise<number> {
  const { terminal, list: all } = await gathered(options);
  const { foundTools, whyLines } = await import("../tools/listing/why-tool.ts");
  const found = foundTools(options.name, all);
  terminal.show(found, whyLines(found, all));
  const isThere =
    found.tools.some(({ off }) => off === undefined) ||
    found.sources.some(({ state }) => state === "unknown");
  return isThere ? EXIT.ok : EXIT.failure;
}
