import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../../terminal/command-error.ts";
import { VERSION } from "../../terminal/version.ts";
import type { OwnCommand } from "../hook-line.ts";
import type { InstallClient } from "../install-client.ts";
import { launcherPath } from "./launcher.ts";

/** How clients start this program: through the launcher, which finds another Node.js if this one is removed. */
export function installedCommand(): OwnCommand {
  return process.platform === "win32" ? localCommand() : [launcherPath()];
}

/** This program, by absolute paths: the project cannot replace it. */
export function localCommand(): OwnCommand {
  return [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? "")];
}

/** This version through `npx`. The `node_modules` and `.npmrc` of the working directory decide which program that is. */
export function publishedCommand(): OwnCommand {
  return ["npx", "-y", `toolkeep@${VERSION}`];
}

/** @throws CommandError for a program in the project: an agent that writes there could replace it. */
export function assertOutside(own: OwnCommand, project: string): void {
  const within = own.find((arg) => arg.startsWith(project + sep));
  if (within === undefined) return;
  throw new CommandError(`${within} is in the project, so the project could replace the program.`, {
    hint: "Run `npm install -g toolkeep`, then run `toolkeep init` from there.",
  });
}

export interface OurEntries {
  readonly client: Pick<InstallClient, "entry">;
  /** The name of the entry. */
  readonly name: string;
  /** The accepted ways to start this program. */
  readonly owns: readonly OwnCommand[];
}

/** Whether an entry is what `install` writes under this name. Further keys may decide otherwise. */
export function isOurEntry(written: unknown, { client, name, owns }: OurEntries): boolean {
  const args = name === "toolkeep" ? [] : ["--wrap", name];
  return owns.some((own) => isDeepStrictEqual(written, client.entry(own, args)));
}
