import { ToolFailure } from "@toolkeep/core";
import { isBeneath } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { lineOfWords } from "../shell/command-line.ts";
import table from "./servers.json" with { type: "json" };

/** A language server that the tool can start. */
export interface ServerEntry {
  readonly name: string;
  /** The extensions of its files, each with what the protocol calls the language. */
  readonly languages: Readonly<Record<string, string>>;
  readonly program: string;
  readonly args: readonly string[];
  /** Projects install it with npm. Theirs is used where they have one. */
  readonly fromNpm?: boolean;
  /** The command that installs it. */
  readonly install: string;
  /** Files in the folder that it takes as its root, the most telling first. */
  readonly markers: readonly string[];
  /** It does not notice that files change, apart from those that it is shown. */
  readonly readsOnce?: boolean;
  /** With these it runs no plugin, and no program that the repository names. */
  readonly options?: object;
  /** Its answers to questions for settings, by their sections. */
  readonly settings?: Readonly<Record<string, object>>;
}

const SERVERS: readonly ServerEntry[] = table;

/** @throws ToolFailure `unavailable` for a file that no server is known for. */
export function serverFor(path: string): ServerEntry {
  const found = SERVERS.find(({ languages }) => Object.hasOwn(languages, extensionOf(path)));
  if (found !== undefined) return found;
  const known = SERVERS.flatMap(({ languages }) => Object.keys(languages));
  throw new ToolFailure("unavailable", `No language server is known for ${path}.`, {
    hint: `There are servers for files that end with ${known.join(", ")}. Use \`grep\` for others.`,
  });
}

export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1] ?? "";
}

/** The glob of the files that the answers of a server depend on. */
export function filesOf({ languages, markers }: ServerEntry): string {
  return `**/{${[...Object.keys(languages).map((one) => `*.${one}`), ...markers].join(",")}}`;
}

/** The nearest folder with the first marker that is found, of the folders above a file. */
export function rootOf({ markers }: ServerEntry, folders: readonly string[], has: (path: string) => boolean) {
  const found = markers.flatMap((marker) => folders.filter((folder) => has(`${folder}/${marker}`)));
  return found[0] ?? folders.at(-1);
}

/** Those within the workspace, the nearest first. */
export function foldersAbove(file: string, workspace: string): readonly string[] {
  if (!isBeneath(file, workspace)) return [];
  const folder = file.slice(0, file.lastIndexOf("/"));
  return [folder, ...foldersAbove(folder, workspace)];
}

/** The command line that starts a server: the program that npm installed for the project, or the one of the machine. */
export async function startLine(server: ServerEntry, path: string, resolver: EffectResolver) {
  const { program, args, fromNpm = false } = server;
  const workspace = await resolver.canonicalPath(".");
  const folders = fromNpm ? foldersAbove(await resolver.canonicalPath(path), workspace) : [];
  for (const folder of folders) {
    const own = `${folder}/node_modules/.bin/${program}`;
    const found = await resolver.findBeneath?.(`${folder}/node_modules/.bin`, (one) => one === own);
    if (found?.includes(own) === true) return lineOfWords([`.${own.slice(workspace.length)}`, ...args]);
  }
  return lineOfWords([program, ...args]);
}
