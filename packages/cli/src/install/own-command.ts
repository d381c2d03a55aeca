import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../terminal/command-error.ts";
import { VERSION } from "../version.ts";
import type { InstallClient, OwnCommand } from "./install-client.ts";

/** This very program, by absolute paths: nothing that a project brings can take its place. */
export function localCommand(): OwnCommand {
  return [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? "")];
}

/**
 * The published package at this very version, through `npx`. Which program that is, the folder decides that it is
 * started in: its `node_modules` and its `.npmrc` come first.
 */
export function publishedCommand(): OwnCommand {
  return ["npx", "-y", `toolkeep@${VERSION}`];
}

/** @throws CommandFault for a program that lies in the project: whoever writes there would write what decides. */
export function assertOutside(own: OwnCommand, project: string): void {
  const within = own.find((word) => word.startsWith(project + sep));
  if (within === undefined) return;
  throw new CommandError(`${within} lies in the project itself, which could put another program there.`, {
    hint: "Install it for yourself with `npm install -g toolkeep`, and start that one.",
  });
}

/** What somebody should know of how the program would be started. */
export function commandNotes(own: OwnCommand): readonly string[] {
  if (own[0] === "npx")
    return [
      "With --npx the project decides which program `npx` starts, by its node_modules and its .npmrc: only for projects that you trust as yourself.",
    ];
  const isCached = own.some((word) => /[/\\]_npx[/\\]/.test(word));
  return isCached
    ? [
        "This program lies in the cache of npx, which npm may clear: then the hooks block and the servers do not start. `npm install -g toolkeep` keeps it.",
      ]
    : [];
}

export interface OurEntries {
  readonly client: Pick<InstallClient, "entry">;
  /** The name that the entry has. */
  readonly name: string;
  /** How this program may be started. */
  readonly owns: readonly OwnCommand[];
}

/**
 * Whether an entry is word by word what `install` writes under this name, and nothing beside it: what only looks like
 * it could be anything, and one with a policy, grants or an environment of its own would decide otherwise than we.
 */
export function isOurEntry(written: unknown, { client, name, owns }: OurEntries): boolean {
  const words = name === "toolkeep" ? [] : ["--wrap", name];
  return owns.some((own) => isDeepStrictEqual(written, client.entry(own, words)));
}
