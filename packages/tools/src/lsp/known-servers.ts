import { ToolFailure } from "@toolkeep/core";
import { isBeneath } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { lineOfWords } from "../shell/command-line.ts";
import table from "./servers.json" with { type: "json" };

/** A language server that the tool can start. */
export interface KnownServer {
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
  /** What it is started with. Nothing that the repository names is run because of it. */
  readonly options?: object;
  /** Its answers to questions for settings, by their sections. */
  readonly settings?: Readonly<Record<string, object>>;
}

const SERVERS: readonly KnownServer[] = table;

/** @throws ToolFailure `unavailable` for a file that no server is known for. */
export function serverFor(path: string): KnownServer {
  const extension = extensionOf(path);
  const found = SERVERS.find(({ languages }) => Object.hasOwn(languages, extension));
  if (found !== undefined) return found;
  const known = SERVERS.flatMap(({ languages }) => Object.keys(languages)).map((one) => `.${one}`);
  throw new ToolFailure("unavailable", `No language server is known for ${path}.`, {
    hint: `There are servers for ${known.join(", ")}. Use \`grep\` for other files.`,
  });
}

export function languageOf({ languages }: KnownServer, path: string): string {
  return languages[extensionOf(path)] ?? "plaintext";
}

function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1] ?? "";
}

/** The glob of what decides about the answers of a server: files of its languages, and its markers. */
export function filesOf({ languages, markers }: KnownServer): string {
  return `**/{${[...Object.keys(languages).map((one) => `*.${one}`), ...markers].join(",")}}`;
}

/** The nearest folder with the first marker that is found, of those in the workspace. */
export function rootOf(
  { markers }: KnownServer,
  file: string,
  { workspace, has }: { readonly workspace: string; has(path: string): boolean },
): string {
  const folders = foldersAbove(file, workspace);
  const found = markers.flatMap((marker) => folders.filter((folder) => has(`${folder}/${marker}`)));
  return found[0] ?? folders.at(-1) ?? file.slice(0, file.lastIndexOf("/"));
}

/** The command line that starts a server for a file. */
export async function startLine(server: KnownServer, path: string, resolver: EffectResolver) {
  const own = server.fromNpm === true ? await ownProgram(server.program, path, resolver) : undefined;
  return lineOfWords([own ?? server.program, ...server.args]);
}

/** The program that npm installed for the project: in the nearest folder above the file that has it. */
async function ownProgram(name: string, path: string, resolver: EffectResolver): Promise<string | undefined> {
  const workspace = await resolver.canonicalPath(".");
  for (const folder of foldersAbove(await resolver.canonicalPath(path), workspace)) {
    const programs = `${folder}/node_modules/.bin`;
    const found = await resolver.findBeneath?.(programs, (one) => one === `${programs}/${name}`);
    if (typeof found === "object" && found.length > 0) return `.${programs.slice(workspace.length)}/${name}`;
  }
  return undefined;
}

/** Those within the workspace, the nearest first. */
function foldersAbove(file: string, workspace: string): readonly string[] {
  const folders: string[] = [];
  for (let at = file; isBeneath(at, workspace); ) {
    at = at.slice(0, at.lastIndexOf("/"));
    folders.push(at);
  }
  return folders;
}
