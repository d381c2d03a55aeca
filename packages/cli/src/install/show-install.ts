import type { Terminal } from "../terminal/terminal.ts";
import { diffLines } from "./diff-lines.ts";

/** What somebody agrees to. */
export interface ShownInstall {
  readonly files: readonly {
    readonly path: string;
    readonly textBefore: string;
    readonly textAfter: string;
  }[];
  readonly notes: readonly string[];
  /** Servers that are accepted. */
  readonly servers: readonly string[];
}

export function showInstall({ files, notes, servers }: ShownInstall, terminal: Terminal): void {
  for (const { path, textBefore, textAfter } of files)
    terminal.note(diffLines({ path, before: textBefore, after: textAfter }).join("\n"));
  for (const note of notes) terminal.note(note);
  if (servers.length > 0)
    terminal.note(`These servers go behind the gateway and are accepted: ${servers.join(", ")}.`);
  if (files.length === 0) terminal.note("There is nothing to change.");
}
